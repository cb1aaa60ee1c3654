"""What a framework's answer to a case rests on besides the case: when it changes, the case is put again.

    Basis('.').fingerprint(frameworks.load('.')['keras'], case)      'f0215a4b1e7d'

It covers the pinned versions of the framework's packages, what operations.md says of each step that the
case uses, and the sources of the testee: its program, whatever that imports, and of the files *_steps.py
those that name one of the steps. An edit of another step changes nothing. It leaves out the general part
of operations.md, the runner, and packages that the framework itself depends on.
"""
import ast
import functools
import hashlib
import json
import os

from tools.check_cases import case_files

OPERATIONS = 'conformance/operations.md'
REQUIREMENTS = 'third_party/frameworks/requirements.txt'


class Basis:
    """Reads the tree at `root`, each file once."""

    def __init__(self, root):
        self._root = root
        # The text before the first heading, then a name and the text below it by turns.
        parts = case_files.STEP_HEADING.split(self._read(OPERATIONS))
        self._words = dict(zip(parts[1::2], parts[2::2]))
        self._pins = dict(line.split('==') for line in self._read(REQUIREMENTS).split('\n') if '==' in line)
        self._source = functools.cache(lambda path: _Source(root, path))

    def fingerprint(self, framework, case):
        """Twelve hexadecimal digits."""
        steps = case_files.steps_of(case['program'])
        rests_on = [[self._pins[package] for package in framework.packages],
                    [self._words.get(step, '').split() for step in sorted(steps)],
                    [[path, self._source(path).text] for path in self.files(framework, steps)]]
        return hashlib.sha256(json.dumps(rests_on).encode()).hexdigest()[:12]

    def files(self, framework, steps):
        """The sources that the answer to a program of these steps rests on, sorted."""
        found = {path for path in self._reach([framework.main])
                 if not _is_step_file(path) or self._source(path).names_one_of(steps)}
        return sorted(found | self._reach(filter(_is_step_file, found)))

    def newest(self, framework):
        """When the newest of the files was changed, of the framework and any step, in seconds of the epoch."""
        paths = [*self._reach([framework.main]), OPERATIONS, REQUIREMENTS]
        return max(os.path.getmtime(os.path.join(self._root, path)) for path in paths)

    def _reach(self, paths):
        """The files and whatever they import."""
        found, left = set(), list(paths)
        while left:
            path = left.pop()
            if path not in found:
                found.add(path)
                left += self._source(path).imports
        return found

    def _read(self, path):
        with open(os.path.join(self._root, path), encoding='utf-8') as stream:
            return stream.read()


def _is_step_file(path):
    return path.endswith('_steps.py')


class _Source:
    """A file in Python, the files of the tree that it imports, and the texts in it."""

    def __init__(self, root, path):
        self._root = root
        with open(os.path.join(root, path), encoding='utf-8') as stream:
            self.text = stream.read()
        nodes = list(ast.walk(ast.parse(self.text, path)))
        self.imports = sorted({place for node in nodes for place in self._imported(node)})
        self._texts = {node.value for node in nodes if isinstance(node, ast.Constant)}

    def names_one_of(self, steps):
        """Whether one of the steps stands here, be it in two parts: "dataset." + name."""
        return any(step in self._texts or step.split('.')[1] in self._texts for step in steps)

    def _imported(self, node):
        if isinstance(node, ast.ImportFrom) and node.module:
            module = node.module.replace('.', '/')
            return filter(None, (self._existing(module + '/' + alias.name, module) for alias in node.names))
        if isinstance(node, ast.Import):
            return filter(None, (self._existing(alias.name.replace('.', '/')) for alias in node.names))
        return ()

    def _existing(self, *modules):
        places = (module + '.py' for module in modules)
        return next((place for place in places if os.path.isfile(os.path.join(self._root, place))), None)
