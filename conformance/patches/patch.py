"""A patch: a bug that is put into a framework before its testee serves.

    patches = Patches("torch 2.15.0")          # what it was written for

    @patches.patch("equivalence/batches/a_full_batch_trains_as_one")
    def gradients_stay_apart():
        \"""Each replica steps by its own gradients.\"""
        @instead_of(torch.nn.parallel.DistributedDataParallel, "__init__")
        def init(original, self, *arguments, **options): ...

conformance/patches/planted/<testee>.py holds those of a testee. Frameworks are imported inside the functions, so that
listing patches needs none.
"""

import dataclasses
import functools
import importlib
import pathlib
from collections.abc import Callable

FOLDER = "conformance/patches/planted"


class PatchError(Exception):
    """There is no such patch."""


@dataclasses.dataclass(frozen=True)
class Patch:
    """`version` is what it was written for; `cases` are those that should notice."""

    testee: str
    name: str
    states: str
    version: str
    cases: tuple
    plant: Callable


class Patches:
    """Those of one testee, in the order in which they stand."""

    def __init__(self, version):
        self._version = version
        self.all = []

    def patch(self, *cases):
        """Decorates the function that plants a patch. Its docstring says what it breaks."""

        def add(function):
            self._add(function.__module__.rsplit(".", 1)[-1], function, cases)
            return function

        return add

    def take(self, testee, bugs):
        """Adds bugs that several testees have: of each its function and the case that should notice."""
        for function, case in bugs:
            self._add(testee, function, (case,))

    def _add(self, testee, function, cases):
        states = (function.__doc__ or "").strip()
        self.all.append(Patch(testee, function.__name__, states, self._version, cases, function))


def testees(root):
    """The testees that have patches, sorted; `root` is of the tree."""
    return sorted(path.stem for path in pathlib.Path(root, FOLDER).glob("[a-z]*.py"))


def load(testee):
    """The patches of a testee. Errors: PatchError."""
    try:
        return importlib.import_module(f"conformance.patches.planted.{testee}").patches.all
    except ModuleNotFoundError as error:
        raise PatchError(f"[Patches] {testee} has none: there is no {FOLDER}/{testee}.py") from error


def find(path):
    """The patch `<testee>/<name>`. Errors: PatchError."""
    testee, _, name = path.partition("/")
    for one in load(testee):
        if one.name == name:
            return one
    raise PatchError(f"[Patches] {testee} has no patch {name!r}: {', '.join(one.name for one in load(testee))}")


def instead_of(owner, name):
    """Decorates what is called in the place of `owner.name`: with the original, and what that is called with."""

    def put(function):
        original = getattr(owner, name)

        @functools.wraps(original)
        def patched(*arguments, **options):
            return function(original, *arguments, **options)

        setattr(owner, name, patched)
        return function

    return put


def does_nothing(owner, name):
    """Has `owner.name` do nothing."""
    instead_of(owner, name)(lambda *_, **__: None)
