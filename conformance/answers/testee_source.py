"""What a testee in Python does, as hashes: of what is behind all its answers, and of each step.

    source = TesteeSource(".", "conformance/testees/jax/testee.py", ["dataset.take", "value.add"])
    source.program       # "f0215a4b1e7d"
    source.steps         # {"dataset.take": "9c50094e9566", ...}

Comments, docstrings, formatting, file names, imports that nothing uses, and the names of our own functions, classes,
constants, parameters and variables change no hash. Names of methods and attributes do, and so do those of parameters
that a call passes by keyword: which object or function such a name belongs to cannot be seen.

How: a module is taken apart into its top-level statements, which testee_form.py writes without those names. A function
under `@steps.step("dataset.take")` belongs to that step, and so does a loop or a call that names it
(`steps.unsupported("dataset.take", ...)`). Everything else belongs to any statement that refers to it by name, across
modules of the tree. What the testee's program refers to belongs to all its answers. In place of a name of the tree
stands a digest of the statement that has it, in which names of the tree are such digests again, _DEPTH times: two
helpers that are swapped are noticed even where they differ only in what their own helpers do.

Not noticed: the order of two tables of steps that have a step in common (tables differ only by their names).
"""

import ast
import functools
import hashlib
import os

from conformance.answers import testee_form

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_IMPORTS = (ast.Import, ast.ImportFrom)
_DEPTH = 6


class TesteeSource:
    """Reads the testee whose program is `main`, from the root of the tree; `steps` are all there are."""

    def __init__(self, root, main, steps):
        self._module = functools.cache(lambda path: _Module(root, path, steps))
        self._code = functools.cache(self._code_to)
        units = [(path, unit) for path in self._modules(main) for unit in self._module(path).units]
        behind_all = self._reach((path, unit) for path, unit in units if path == main and not unit.steps)
        self.program = self._hash(behind_all)
        self.steps = {
            step: self._hash(self._reach((path, unit) for path, unit in units if step in unit.steps)) for step in steps
        }

    def _modules(self, main):
        """The paths of all that the program imports, and of itself."""
        found, left = set(), [main]
        while left:
            path = left.pop()
            if path not in found:
                found.add(path)
                left += self._module(path).imports
        return sorted(found)

    def _reach(self, units):
        """These and all that they refer to, as pairs of a path and a statement; of others' steps none."""
        found, left = set(), list(units)
        while left:
            path, unit = left.pop()
            if (path, unit) in found:
                continue
            found.add((path, unit))
            left += self._module(path).effects
            for name, attribute in unit.references:
                left += self._refers(path, unit, name, attribute)
        return found

    def _hash(self, units):
        keywords = {keyword for _, unit in units for keyword in unit.keywords}
        return _digest(
            repr((self._code(path, unit, _DEPTH), [p for p in enumerate(unit.parameters) if p[1] in keywords]))
            for path, unit in units
        )

    def _code_to(self, path, unit, depth):
        """The statement without our own names; what those refer to is written to a depth one less."""

        def refer(name, attribute):
            is_module = {**self._module(path).imported, **unit.imported}.get(name, (None, ""))[1] is None
            found = self._refers(path, unit, name, attribute) if attribute is None or is_module else ()
            if not found and not (is_module and attribute is None):
                return None
            return _digest(self._code(*other, depth - 1) for other in found) if depth else "tree"

        return repr(testee_form.normal(unit.node, unit.names, refer))

    def _refers(self, path, unit, name, attribute):
        """The statements of the tree that the name means in that unit."""
        return self._resolve(path, {**self._module(path).imported, **unit.imported}, name, attribute)

    def _resolve(self, path, imported, name, attribute):
        """The statements that `name` or `name.attribute` means there, where it imports these."""
        module = self._module(path)
        if name not in imported:
            return [(path, unit) for unit in module.units if name in unit.names]
        place, inner = imported[name]
        other = self._module(place)
        if inner is not None:
            return self._resolve(place, other.imported, inner, attribute)
        if attribute is not None:
            return other.effects + self._resolve(place, other.imported, attribute, None)
        return [(place, unit) for unit in other.units if not unit.steps]


class _Module:
    """A file in Python, taken apart."""

    def __init__(self, root, path, steps):
        with open(os.path.join(root, path), encoding="utf-8") as stream:
            tree = ast.parse(stream.read(), path)
        self.units = [
            _Unit(root, node, names)
            for node in tree.body
            if not isinstance(node, _IMPORTS) and not testee_form.is_docstring(node)
            for names in [{name} for name in sorted(_names(node))] or [set()]
        ]
        self.imported = _imports(root, [node for node in tree.body if isinstance(node, _IMPORTS)])
        self.imports = {place for place, _ in _imports(root, ast.walk(tree)).values()}
        tables = {name: unit.texts for unit in self.units for name in unit.names}
        for unit in self.units:
            if unit.acts:
                unit.find_steps(steps, tables)
        # What acts when the module is imported, and speaks of no step by its name.
        self.effects = [(path, unit) for unit in self.units if unit.acts and not unit.steps]


class _Unit:
    """A top-level statement; one that defines several names is a unit for each."""

    def __init__(self, root, node, names):
        nodes = list(ast.walk(node))
        self.node = node
        self.names = names
        self.acts = not self.names
        self.references = _references(nodes)
        self.parameters = [inner.arg for inner in nodes if isinstance(inner, ast.arg)]
        self.keywords = _keywords(nodes)
        self.imported = _imports(root, nodes)
        self.steps = _registered(node)  # that it does, or says something of
        is_function = isinstance(node, _DEFINITIONS)
        self.texts = (
            set()
            if is_function
            else {inner.value for inner in nodes if isinstance(inner, ast.Constant) and isinstance(inner.value, str)}
        )

    def find_steps(self, steps, tables):
        """Of a statement that acts: the steps, or groups of them, that it or a table it uses names."""
        texts = self.texts.union(*(tables.get(name, ()) for name, _ in self.references))
        self.steps = {step for step in steps if step in texts or not texts.isdisjoint(step.split("."))}


def _names(node):
    """What the statement defines."""
    if isinstance(node, _DEFINITIONS):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        return {inner.id for target in targets for inner in ast.walk(target) if isinstance(inner, ast.Name)}
    return set()


def _registered(node):
    """The steps of a function under `@steps.step("a.b", "a.c")`."""
    calls = [
        call
        for call in getattr(node, "decorator_list", ())
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "step"
    ]
    return {argument.value for call in calls for argument in call.args if isinstance(argument, ast.Constant)}


def _keywords(nodes):
    """Names by which arguments may be passed: in calls, and as keys for a `**`."""
    keys = (key for node in nodes if isinstance(node, ast.Dict) for key in node.keys)
    return {node.arg for node in nodes if isinstance(node, ast.keyword)} | {
        key.value for key in keys if isinstance(key, ast.Constant)
    }


def _references(nodes):
    """Pairs of a name and the attribute that is taken of it, None where it is used as a whole."""
    of_attributes = {
        id(node.value): node.attr
        for node in nodes
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    }
    return sorted({(node.id, of_attributes.get(id(node))) for node in nodes if isinstance(node, ast.Name)}, key=str)


def _imports(root, nodes):
    """Name -> where it is: a file of the tree, and a name in it or None for the module itself."""
    found = {}
    for node in nodes:
        for alias in node.names if isinstance(node, _IMPORTS) else ():
            name = alias.asname or alias.name
            within = getattr(node, "module", None)
            if isinstance(node, ast.Import) and _file(root, alias.name):
                found[name] = (_file(root, alias.name), None)
            elif within and _file(root, f"{within}.{alias.name}"):
                found[name] = (_file(root, f"{within}.{alias.name}"), None)
            elif within and _file(root, within):
                found[name] = (_file(root, within), alias.name)
    return found


def _file(root, module):
    place = module.replace(".", "/") + ".py"
    return place if os.path.isfile(os.path.join(root, place)) else None


def _digest(codes):
    """Twelve hexadecimal digits."""
    return hashlib.sha256("\n".join(sorted(set(codes))).encode()).hexdigest()[:12]
