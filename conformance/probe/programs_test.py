"""Programs are short, of declared steps only, and together use them all."""
import os
import pathlib
import unittest

from conformance.probe import programs
from tools import xml_unittest


def case(identity, *steps):
    return {"id": identity, "given": {"strategy": "default"},
            "program": [{"step": step} for step in steps]}


class ProgramsTest(unittest.TestCase):

    def test_short_cases_of_declared_steps_are_chosen(self):
        cases = [case("long", "a.a", "a.b", "a.b"), case("short", "a.b"),
                 case("undeclared", "a.a", "a.c"), case("both", "a.a", "a.b")]
        chosen, left_over = programs.choose(cases, ["a.a", "a.b", "a.d"])
        self.assertEqual([c["id"] for c in chosen], ["both"])
        self.assertEqual(left_over, ["a.d"])

    def test_a_step_in_a_block_counts(self):
        nested = {"id": "nested", "given": {}, "program": [
            {"step": "a.a", "observe": "x", "program": [{"step": "a.b", "observe": "y"}]}]}
        self.assertEqual(programs.step_names(nested["program"]), {"a.a", "a.b"})
        self.assertEqual(programs.observation_names(nested["program"]), {"x", "y"})
        self.assertEqual(programs.choose([nested], ["a.a"]), ([], ["a.a"]))

    def test_a_run_has_one_replica_count(self):
        self.assertEqual(programs.given_once({"strategy": "mirrored", "replicas": [3, 2]}),
                         {"strategy": "mirrored", "replicas": 3})
        self.assertEqual(programs.given_once({"strategy": "default"}), {"strategy": "default"})

    def test_steps_are_the_headings_of_the_document(self):
        path = pathlib.Path(os.environ["TEST_TMPDIR"], "operations.md")
        path.write_text("## a\n### `a.a`\ntext `a.b`\n### `a.c_d`\n", encoding="utf-8")
        self.assertEqual(programs.described_steps(path), {"a.a", "a.c_d"})


if __name__ == "__main__":
    xml_unittest.main()
