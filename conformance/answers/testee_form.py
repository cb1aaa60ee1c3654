"""The syntax of a statement without what may change while it means the same.

    normal(ast.parse("def take(call):\\n    return call").body[0], {"take"}, refer)   # as of "def f(x):\\n    return x"

Left out: docstrings, places in the file, and names of our own. A parameter or variable becomes its number, in order of
appearance in its function. A name that the statement defines for the tree (`own`) becomes "own". A name of another
statement of the tree becomes what `refer(name, None)` returns, and `module.name` what `refer(module, name)` returns;
refer returns None for a name that the tree does not define.

Names that stay as they are: attributes and methods, what a class body binds (an attribute by another way), keywords of
calls, builtins, names of libraries.
"""

import ast

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
# Fields that bind a name, as text.
_BINDING = {
    ast.FunctionDef: ("name",),
    ast.AsyncFunctionDef: ("name",),
    ast.ClassDef: ("name",),
    ast.arg: ("arg",),
    ast.alias: ("asname",),
    ast.ExceptHandler: ("name",),
    ast.MatchAs: ("name",),
    ast.MatchStar: ("name",),
    ast.MatchMapping: ("rest",),
}
# Fields of a function, a class or a function's arguments that Python evaluates outside of it.
_OUTSIDE = ("name", "decorator_list", "returns", "bases", "keywords", "defaults", "kw_defaults")
_PLACES = ("lineno", "col_offset", "end_lineno", "end_col_offset", "ctx", "type_comment", "kind")


def is_docstring(node):
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def normal(statement, own, refer):
    """Nested lists of strings, the same in every version of Python: fields that are empty are left out."""
    return _Form(own, refer).of(statement, _Scope(_bound([statement]) - set(own)))


class _Scope:
    """The names that a function binds, numbered in order of appearance."""

    def __init__(self, names, outer=None):
        self._names = names
        self._numbers = {}
        self.outer = outer

    def number(self, name):
        """[functions outwards, number in that function], or None for a name of no function."""
        if name in self._names:
            return ["variable", 0, self._numbers.setdefault(name, len(self._numbers))]
        found = self.outer.number(name) if self.outer else None
        return found and [found[0], found[1] + 1, found[2]]


class _ClassScope:
    """A class's body: what it binds are attributes, and functions in it see only what is around it."""

    def __init__(self, names, outer):
        self.names = names
        self.outer = outer

    def number(self, name):
        return self.outer.number(name)


class _Form:
    def __init__(self, own, refer):
        self._own = own
        self._refer = refer

    def of(self, node, scope):
        if isinstance(node, list):
            return [self.of(item, scope) for item in node if not is_docstring(item) and not self._of_tree(item)]
        if not isinstance(node, ast.AST):
            return repr(node)
        if isinstance(node, ast.Name):
            return self._variable(node, scope)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            return self._attribute(node, scope)
        if isinstance(node, _FUNCTIONS):
            return self._with(_Scope(_bound([node.args, node.body]), scope), node, scope)
        if isinstance(node, ast.ClassDef):
            return self._with(_ClassScope(_bound(node.body), scope), node, scope)
        if isinstance(node, ast.arguments):
            return self._with(scope, node, scope.outer)
        return self._with(scope, node, scope)

    def _of_tree(self, node):
        """An import of nothing but statements and modules of the tree."""
        return isinstance(node, (ast.Import, ast.ImportFrom)) and all(
            self._refer(alias.asname or alias.name, None) is not None for alias in node.names
        )

    def _fields(self, node, scope, inner):
        """Pairs of a field and its form: `inner` is the node's own scope, and `scope` the one around it."""
        fields = ((name, getattr(node, name, None)) for name in node._fields if name not in _PLACES)
        return [
            [name, self._field(node, name, value, scope if name in _OUTSIDE else inner)]
            for name, value in fields
            if value not in (None, [])
        ]

    def _field(self, node, field, value, scope):
        if isinstance(value, str) and field in _BINDING.get(type(node), ()):
            return scope.number(value) or ("own" if value in self._own else value)
        if field == "names" and isinstance(node, (ast.Global, ast.Nonlocal)):
            return [self._name(name, scope) for name in value]
        return self.of(value, scope)

    def _variable(self, node, scope):
        if isinstance(scope, _ClassScope) and node.id in scope.names:
            # Before the body binds it, a name that it reads is that of what is around the class.
            around = [self._name(node.id, scope)] if isinstance(node.ctx, ast.Load) else []
            return ["attribute of the class", node.id, *around]
        return ["name", self._name(node.id, scope)]

    def _name(self, name, scope):
        found = scope.number(name)
        if found is None and name in self._own:
            return "own"
        if found is None:
            referred = self._refer(name, None)
            return name if referred is None else ["tree", referred]
        return found

    def _attribute(self, node, scope):
        name = node.value.id
        if scope.number(name) is None and name not in self._own:
            referred = self._refer(name, node.attr)
            if referred is not None:
                return ["tree", referred]
        return ["attribute", self._name(name, scope), node.attr]

    def _with(self, inner, node, scope):
        """The form of a node that has a scope within `scope`."""
        return [type(node).__name__, *self._fields(node, scope, inner)]


def _bound(nodes):
    """Names that the nodes bind, outside of functions and classes in them."""
    names, elsewhere, waiting = set(), set(), list(nodes)
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting += node
            continue
        names |= _names_of(node)
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            elsewhere.update(node.names)
        if not isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            waiting += ast.iter_child_nodes(node)
    return names - elsewhere


def _names_of(node):
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        return {node.id}
    return {getattr(node, field) for field in _BINDING.get(type(node), ())} - {None}
