"""Planting a patch, in a stand-in for a framework and its testee."""

import sys
import types
import unittest
from unittest import mock

from conformance.patches import apply, patch
from tools import xml_unittest


class Optimizer:
    """Of a framework."""

    def step(self, gradient, rate=1.0):
        return gradient * rate

    def load(self, state):
        self.state = state


class PatchTest(unittest.TestCase):
    def setUp(self):
        self.kind = type("Kind", (Optimizer,), {})

    def test_instead_of_is_called_with_the_original(self):
        @patch.instead_of(self.kind, "step")
        def doubled(original, self, gradient, **options):
            return 2 * original(self, gradient, **options)

        self.assertEqual(self.kind().step(3.0, rate=0.5), 3.0)
        self.assertEqual(Optimizer().step(3.0, rate=0.5), 1.5)

    def test_does_nothing_gives_none(self):
        patch.does_nothing(self.kind, "load")
        patched = self.kind()
        self.assertIsNone(patched.load({"momentum": 1}))
        self.assertFalse(hasattr(patched, "state"))

    def test_a_patch_says_what_it_is(self):
        patches = patch.Patches("torch 2.15.0")

        @patches.patch("a/b/c")
        def momentum_is_lost():
            """An optimizer's state is not restored."""

        (one,) = patches.all
        self.assertEqual((one.testee, one.name), (__name__.rsplit(".", 1)[-1], "momentum_is_lost"))
        self.assertEqual(one.states, "An optimizer's state is not restored.")
        self.assertEqual((one.version, one.cases), ("torch 2.15.0", ("a/b/c",)))

    def test_what_is_not_there_is_an_error(self):
        for path in ("nothing/at_all", "jax/no_such_patch"):
            with self.subTest(path), self.assertRaises(patch.PatchError):
                patch.find(path)

    def test_a_testee_is_imported_then_patched_then_run(self):
        """The stand-in testee is a module that notes under which name it runs and whether the patch is there."""
        stand_in = types.SimpleNamespace(planted=False, seen=[])

        def plant():
            stand_in.planted = True

        def run_module(module, run_name, alter_sys=False):
            stand_in.seen.append((module, run_name, stand_in.planted, sys.argv[1:] if alter_sys else None))

        with (
            mock.patch.object(patch, "find", return_value=types.SimpleNamespace(plant=plant)),
            mock.patch.object(apply.runpy, "run_module", run_module),
            mock.patch.object(sys, "argv", []),
        ):
            apply.main("mine/bug", "mine.testee", "--drop-last")
        self.assertEqual(
            stand_in.seen,
            [("mine.testee", "imported", False, None), ("mine.testee", "__main__", True, ["--drop-last"])],
        )


if __name__ == "__main__":
    xml_unittest.main()
