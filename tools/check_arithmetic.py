"""Fails where a testee in Python does arithmetic, or puts results together, and cites no guide for it.

    ./bazelw run //tools:check_arithmetic

prints one line a place:
    conformance/testees/jax/intents/model.py:52: arithmetic without a citation: sum(losses) / calls

A testee writes what its framework's guide writes. So a line that adds, divides or concatenates has in its comment,
or in the comment above its statement, where the guide does so: an address, or a repository and a path in it
(`pytorch/examples:imagenet/main.py`); or where the step itself asks its program for that: `intents.md (train.create,
calls)`. The number after or before (`+ 1`, `- 1`) and joined texts, paths and lists that are written out are no
arithmetic here. A syntax tree knows no types: that a framework's own call does the work, such as an
all-reduce, is not looked at.
"""

import ast
import io
import re
import sys
import tokenize

from tools import source_tree

FOLDER = "conformance/testees/"
# Code that belongs to no framework, except for what the intents leave to each.
NOT_LOOKED_AT = re.compile(r"conformance/testees/(miniatures|reference|python/(?!intents\.py))|.*_test\.py$")
OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.MatMult, ast.Pow)
# Functions and methods that reduce, and those that put results together.
BUILT_IN = {"divmod", "sorted", "sum"}
METHODS = {"cat", "concat", "concatenate", "mean", "stack", "sum"}
CITATION = re.compile(r"https?://\S+\.\S+|(?<![\w/])[\w.-]+/[\w.-]+:[\w./-]+\.\w+|\b(intents|operations)\.md \(")


def check(root):
    problems = []
    for path in source_tree.list_files(root):
        if path.startswith(FOLDER) and path.endswith(".py") and not NOT_LOOKED_AT.match(path):
            text = "".join(f"{line}\n" for line in source_tree.read_lines(root, path))
            problems += [f"{path}:{line}: arithmetic without a citation: {code}" for line, code in uncited(text)]
    return problems


def uncited(text):
    """(line, code) of each place in a module's text."""
    comments = _comments(text)
    found = []
    for statement in _simple_statements(ast.parse(text)):
        places = [node for node in ast.walk(_own(statement)) if _computes(node)]
        if places and not _is_cited(statement, comments):
            found.append((places[0].lineno, ast.unparse(places[0])))
    return found


def _simple_statements(tree):
    """Statements, without the blocks of those that have some: these are statements of their own."""
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node


def _own(statement):
    """The statement without its blocks."""
    if not hasattr(statement, "body"):
        return statement
    parts = [
        value
        for name, value in ast.iter_fields(statement)
        if name not in ("body", "orelse", "finalbody", "handlers", "cases") and isinstance(value, (ast.AST, list))
    ]
    nodes = [node for part in parts for node in (part if isinstance(part, list) else [part])]
    return ast.Module(body=nodes, type_ignores=[])


def _computes(node):
    if isinstance(node, ast.BinOp):
        parts = (node.left, node.right)
        return isinstance(node.op, OPERATORS) and not _is_next(node.op, node.right) and not any(map(_is_list, parts))
    if isinstance(node, ast.AugAssign):
        return isinstance(node.op, OPERATORS) and not _is_next(node.op, node.value) and not _is_list(node.value)
    if isinstance(node, ast.Call):
        function = node.func
        return function.attr in METHODS if isinstance(function, ast.Attribute) else _is_built_in(function)
    return False


def _is_built_in(function):
    return isinstance(function, ast.Name) and function.id in BUILT_IN


def _is_next(operator, value):
    return isinstance(operator, (ast.Add, ast.Sub)) and isinstance(value, ast.Constant) and value.value == 1


def _is_list(node):
    """Whether it is a literal text, list or tuple."""
    if isinstance(node, ast.BinOp):
        return _is_list(node.left) or _is_list(node.right)
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return is_text or isinstance(node, (ast.JoinedStr, ast.List, ast.Tuple))


def _comments(text):
    """Line -> (its comment, whether it is alone on its line)."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return {
        token.start[0]: (token.string, token.line.lstrip().startswith("#"))
        for token in tokens
        if token.type == tokenize.COMMENT
    }


def _is_cited(statement, comments):
    """By a comment on one of its lines, up to its block, or by those right above it."""
    last = statement.body[0].lineno - 1 if getattr(statement, "body", None) else statement.end_lineno
    lines = list(range(statement.lineno, max(last, statement.lineno) + 1))
    above = statement.lineno - 1
    while above in comments and comments[above][1]:
        lines.append(above)
        above -= 1
    return any(CITATION.search(comments[line][0]) for line in lines if line in comments)


if __name__ == "__main__":
    sys.exit(source_tree.run(check))
