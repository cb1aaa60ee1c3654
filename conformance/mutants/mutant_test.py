"""Mutants: their files, their runs, and the page of who noticed them."""

import contextlib
import io
import json
import os
import unittest
import unittest.mock

from conformance.mutants import apply, by_case, case_results, kill_matrix, mutant, run
from conformance.mutants.mutant import Mutant
from tools import source_tree, xml_unittest

FIELDS = {
    "name": "lost",
    "file": "reference/a.cc",
    "find": "x + 1",
    "replace": "x",
    "states": "One is lost.",
    "killed_by": ["a/b/c"],
}


class MutantTest(unittest.TestCase):
    def setUp(self):
        self.folder = os.path.join(os.environ["TEST_TMPDIR"], self.id())

    def write(self, name, text):
        path = os.path.join(self.folder, mutant.FOLDER, "a", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
        return path

    def test_applies(self):
        self.assertEqual(mutant.Mutant(**FIELDS).apply("return x + 1;"), "return x;")

    def test_wants_its_text_once(self):
        for text, count in (("return x;", 0), ("x + 1, x + 1", 2)):
            with self.assertRaisesRegex(mutant.MutantError, "lost: wanted .* reference/a.cc, found it %d" % count):
                mutant.Mutant(**FIELDS).apply(text)

    def test_loads_all_by_name(self):
        for name in ("lost", "found"):
            self.write(name + ".json", json.dumps(FIELDS | {"name": name}))
        self.assertEqual([m.name for m in mutant.load_all(self.folder)], ["found", "lost"])

    def test_refuses_what_is_no_mutant(self):
        for text in ("{", '{"name": "lost"}', json.dumps(FIELDS | {"because": "so"})):
            with self.assertRaisesRegex(mutant.MutantError, "lost.json"):
                mutant.load(self.write("lost.json", text))
        with self.assertRaisesRegex(mutant.MutantError, "wanted the name of its file, got lost"):
            mutant.load(self.write("found.json", json.dumps(FIELDS)))

    def test_stands_in_the_folder_of_its_source(self):
        with self.assertRaisesRegex(mutant.MutantError, "folder of reference/a.cc, and changes reference/b.cc"):
            mutant.load(self.write("lost.json", json.dumps(FIELDS | {"file": "reference/b.cc"})))

    def applied(self, fields, *sources):
        path, output = self.write("lost.json", json.dumps(fields)), os.path.join(self.folder, "out.cc")
        apply.main(path, output, *(self.write("source%d" % i, text) for i, text in enumerate(sources)))
        with open(output, encoding="utf-8") as stream:
            return stream.read()

    def test_apply_writes_a_copy(self):
        self.assertEqual(self.applied(FIELDS, "return x + 1;"), "return x;")

    def test_apply_puts_a_changed_header_in_front_of_the_source(self):
        fields = FIELDS | {"file": "reference/a.h"}
        self.assertEqual(self.applied(fields, "f(x + 1);", "return x + 1;"), "return x;f(x + 1);")


PASSED, FAILED = kill_matrix.Result("required", "passed", True), kill_matrix.Result("required", "failed", False)
INFORMATIONAL = kill_matrix.Result("observed", "informational", True)
BASELINE = {"a/b/c": PASSED, "a/b/d": PASSED, "x/y/z": INFORMATIONAL}


def make_mutant(name, *killed_by, beyond=""):
    return Mutant(name, "reference/a.cc", "x + 1", "x", "The <%s> one is lost." % name, list(killed_by), beyond)


def make_rows():
    return [
        kill_matrix.compare(make_mutant("killed", "a/b/c"), BASELINE, BASELINE | {"a/b/c": FAILED}),
        kill_matrix.compare(make_mutant("survivor", "a/b/c"), BASELINE, BASELINE),
    ]


class KillMatrixTest(unittest.TestCase):
    def test_a_changed_verdict_kills(self):
        row = kill_matrix.compare(make_mutant("m", "a/b/c"), BASELINE, BASELINE | {"a/b/c": FAILED})
        self.assertEqual((row.result, row.required, row.as_named), ("killed", ["a/b/c"], True))

    def test_a_changed_observation_that_is_only_told_kills(self):
        row = kill_matrix.compare(
            make_mutant("m"), BASELINE, BASELINE | {"x/y/z": INFORMATIONAL._replace(matches=False)}
        )
        self.assertEqual((row.killed_by, row.required), (["x/y/z"], []))

    def test_advice_in_a_required_case_is_no_requirement(self):
        warned = kill_matrix.Result("required", "warned", False)
        row = kill_matrix.compare(make_mutant("m", "a/b/c"), BASELINE, BASELINE | {"a/b/c": warned})
        self.assertEqual((row.killed_by, row.required, row.as_named), (["a/b/c"], [], False))
        self.assertEqual(
            kill_matrix.describe(row), "m: killed by 1 cases, 0 required, but none that it names is required"
        )

    def test_beyond_the_documents_any_case_will_do(self):
        planted = make_mutant("m", "x/y/z", beyond="no document speaks of it")
        row = kill_matrix.compare(planted, BASELINE, BASELINE | {"x/y/z": INFORMATIONAL._replace(matches=False)})
        self.assertTrue(row.as_named)
        self.assertEqual(
            kill_matrix.summary([row]), "0 of 0 killed by required cases, 1 of 1 beyond the documents killed"
        )

    def test_a_case_without_a_result_kills(self):
        row = kill_matrix.compare(make_mutant("m"), BASELINE, {"a/b/c": PASSED, "x/y/z": INFORMATIONAL})
        self.assertEqual(row.killed_by, ["a/b/d"])

    def test_a_required_case_that_notices_is_within_the_documents(self):
        planted = make_mutant("m", "a/b/c", beyond="no document speaks of it")
        row = kill_matrix.compare(planted, BASELINE, BASELINE | {"a/b/c": FAILED})
        self.assertFalse(row.as_named)
        self.assertIn("though `beyond` says otherwise by a/b/c", kill_matrix.describe(row))

    def test_the_same_results_are_a_survivor(self):
        row = kill_matrix.compare(make_mutant("m", "a/b/c"), BASELINE, dict(BASELINE))
        self.assertEqual((row.result, row.as_named), ("survived", False))

    def test_a_named_case_that_does_not_notice_is_told(self):
        row = kill_matrix.compare(make_mutant("m", "a/b/d"), BASELINE, BASELINE | {"a/b/c": FAILED})
        self.assertEqual((row.result, row.not_by, row.as_named), ("killed", ["a/b/d"], False))
        self.assertEqual(
            kill_matrix.describe(row),
            "m: killed by 1 cases, 1 required, but not by a/b/d, but none that it names is required",
        )

    def test_json(self):
        document = kill_matrix.to_json(make_rows())
        self.assertEqual(document["summary"], "1 of 2 killed by required cases")
        self.assertEqual([m["result"] for m in document["mutants"]], ["killed", "survived"])
        self.assertEqual(document["mutants"][0]["killed_by"], ["a/b/c"])

    def test_markdown(self):
        text = kill_matrix.to_markdown(make_rows())
        self.assertIn("| killed | The <killed> one is lost. | killed by 1, 1 required | a/b/c |", text)
        self.assertIn("| survivor | The <survivor> one is lost. | survived | a/b/c |", text)

    def test_html(self):
        text = kill_matrix.to_html(make_rows())
        self.assertIn("1 of 2 killed by required cases", text)
        self.assertIn("The &lt;killed&gt; one is lost.", text)
        self.assertIn('<th class="topic">a/b</th>', text)
        self.assertNotIn("http", text)


class ByCaseTest(unittest.TestCase):
    def view(self, rows=(), on_one_replica=BASELINE, **nulls):
        return {one.case: one for one in by_case.view(BASELINE, rows, on_one_replica, nulls)}

    def test_a_case_is_killed_by_what_breaks_its_requirement(self):
        views = self.view(make_rows(), BASELINE | {"a/b/d": FAILED})
        self.assertEqual([views[case].killed_by for case in BASELINE], [["killed"], ["one_replica_only"], []])
        self.assertEqual([views[case].lacks_killer for case in BASELINE], [False, False, False])

    def test_advice_that_is_not_taken_kills_no_required_case(self):
        warned = kill_matrix.Result("required", "warned", False)
        self.assertTrue(self.view(on_one_replica=BASELINE | {"a/b/c": warned})["a/b/c"].lacks_killer)

    def test_what_is_told_is_killed_by_what_is_not_matches(self):
        row = self.view(on_one_replica=BASELINE | {"x/y/z": INFORMATIONAL._replace(matches=False)})["x/y/z"]
        self.assertEqual(row.killed_by, ["one_replica_only"])

    def test_a_null_testee_kills_nothing_but_must_not_pass(self):
        warned = kill_matrix.Result("required", "warned", False)
        views = self.view(null={"a/b/c": FAILED, "a/b/d": warned, "x/y/z": INFORMATIONAL}, zero={"a/b/d": PASSED})
        self.assertEqual([views[case].passed_by for case in BASELINE], [[], ["null", "zero"], []])
        self.assertTrue(views["a/b/c"].lacks_killer)
        self.assertEqual(
            by_case.complaints(views.values()),
            ["a/b/c: nothing kills it", "a/b/d: nothing kills it", "a/b/d: passed by null, zero"],
        )
        self.assertEqual(
            by_case.summaries(views.values()),
            ["0 of 2 required cases are killed by something", "1 of 3 cases are passed for nothing"],
        )

    def test_reports(self):
        views = list(self.view(make_rows(), null={"a/b/d": PASSED}).values())
        self.assertIn("| a/b/c | required | killed |\n| a/b/d | required | nothing |", by_case.to_markdown(views))
        self.assertEqual(
            by_case.to_json(views)[1], {"case": "a/b/d", "level": "required", "killed_by": [], "passed_by": ["null"]}
        )
        page = kill_matrix.to_html(make_rows(), views)
        self.assertIn('<td class="survived">nothing</td>\n<td class="survived">null</td>', page)
        self.assertNotIn("What kills each case", kill_matrix.to_html(make_rows()))


# Takes the words of a "program" for the verdict on its only case; a null testee passes what it is called.
JUDGE = r"""#!/bin/sh
for argument; do
  case "$argument" in --json=*) json=${argument#--json=};; --testee=*) testee=${argument#--testee=};; esac
done
case "$testee" in *nulls.py*) verdict=${testee##* };; *) verdict=$(cat "$testee");; esac
[ "$verdict" = dies ] && { echo "out of memory"; exit 2; }
echo '{"cases": [{"id": "a/b/c", "level": "required", "verdict": "'$verdict'", "matches": true}]}' > "$json"
"""


class RunTest(source_tree.PlantedTree):
    def setUp(self):
        super().setUp()
        self.plant(case_results.RUNNER, JUDGE)
        os.chmod(os.path.join(self.root, case_results.RUNNER), 0o755)
        self.plant(run.REFERENCE, "passed")
        self.plant(run.ONE_REPLICA, "passed")
        self.plant(run.NULLS, 'print("failed errored")')
        here = os.getcwd()
        os.chdir(self.root)
        self.addCleanup(os.chdir, here)

    def plant_mutant(self, name, verdict, *killed_by):
        fields = FIELDS | {"name": name, "killed_by": killed_by or ["a/b/c"]}
        self.plant("%s/a/%s.json" % (mutant.FOLDER, name), json.dumps(fields))
        self.plant("%s/%s" % (run.PROGRAMS, name), verdict)

    def run_tool(self, *arguments):
        with (
            unittest.mock.patch.dict(os.environ, {"BUILD_WORKING_DIRECTORY": self.root}),
            contextlib.redirect_stdout(io.StringIO()) as output,
            contextlib.redirect_stderr(io.StringIO()) as error,
        ):
            status = run.main(arguments)
        return status, output.getvalue() + error.getvalue()

    def test_tells_the_killed_from_the_rest(self):
        self.plant_mutant("fails", "failed")
        self.plant_mutant("lives", "passed")
        status, output = self.run_tool("--json=kills.json", "--html=kills.html", "--markdown=kills.md")
        self.assertEqual(status, 1)
        self.assertIn("[1/2] fails: killed by 1 cases", output)
        self.assertIn("[2/2] lives: survived", output)
        with open("kills.json", encoding="utf-8") as stream:
            self.assertEqual(json.load(stream)["summary"], "1 of 2 killed by required cases")
        for name in ("kills.html", "kills.md"):
            self.assertGreater(os.path.getsize(name), 0)

    def test_is_content_when_all_are_killed_as_named(self):
        self.plant_mutant("fails", "failed")
        self.plant_mutant("lives", "passed")
        self.assertEqual(self.run_tool("--only=fail*")[0], 0)

    def test_complains_of_a_case_that_nothing_kills(self):
        self.plant_mutant("lives", "passed")
        status, output = self.run_tool("--json=kills.json")
        self.assertEqual(status, 1)
        self.assertIn("a/b/c: nothing kills it\n", output)
        with open("kills.json", encoding="utf-8") as stream:
            self.assertEqual(
                json.load(stream)["cases"], [{"case": "a/b/c", "level": "required", "killed_by": [], "passed_by": []}]
            )

    def test_complains_of_a_case_that_is_passed_for_nothing(self):
        self.plant_mutant("fails", "failed")
        self.plant(run.NULLS, 'print("failed passed")')
        status, output = self.run_tool()
        self.assertEqual(status, 1)
        self.assertIn("a/b/c: passed by passed\n", output)
        self.assertIn("1 of 1 required cases are killed by something\n1 of 1 cases are passed for nothing", output)

    def test_complains_of_a_named_case_that_notices_nothing(self):
        self.plant_mutant("fails", "failed", "a/b/c", "a/b/d")
        status, output = self.run_tool()
        self.assertEqual(status, 1)
        self.assertIn("but not by a/b/d", output)

    def test_a_run_without_results_says_why(self):
        self.plant_mutant("fails", "dies")
        status, output = self.run_tool()
        self.assertEqual(status, 2)
        self.assertIn("out of memory", output)

    def test_cannot_run_without_a_mutant(self):
        self.plant_mutant("fails", "failed")
        status, output = self.run_tool("--only=x")
        self.assertEqual(status, 2)
        self.assertIn("none is called like 'x'", output)


if __name__ == "__main__":
    xml_unittest.main()
