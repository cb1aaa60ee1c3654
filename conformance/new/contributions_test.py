"""Each scaffold to its end, in a copy of the tree: written, filled in, checked by what its list names."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import unittest
from unittest import mock

from conformance.mutants import mutants_test
from conformance.new import planted_copy, step
from conformance.new.contribution import Contribution
from tools import check_format, placeholder, source_tree, xml_unittest
from tools.check_cases import case_files, case_format, check_cases, check_deviations, check_statements, check_steps

REBATCH = "conformance/cases/input/rebatch.json"
CONTRACTS = "conformance/operations.md"
LAYER_STEPS = "conformance/testees/reference/layer_steps.cc"
STATEMENT = "distributed_input/last_batch_is_split"
CASE = {
    "level": "required",
    "states": "A last batch of two rows gives a row to each of two replicas.",
    "cites": [{"source": "distributed_input", "anchor": "0Qb6nDgxiN_n"}],
    "holds": [STATEMENT],
    "given": {"strategy": "mirrored", "replicas": 2},
    "program": [
        {"let": "numbers", "step": "dataset.range", "stop": 6},
        {"let": "batches", "step": "dataset.batch", "of": "numbers", "size": 4},
        {"let": "inputs", "step": "strategy.distribute_dataset", "of": "batches"},
        {"observe": "observed", "step": "input.batch_sizes", "of": "inputs"},
    ],
    "expect": [{"observation": "observed", "equals": [[2, 2], [1, 1]]}],
}


class Copy(planted_copy.PlantedCopy):
    def refused_cases(self):
        """The files, a line each, of what check_cases says, which is of placeholders alone."""
        problems = check_cases.check(self.root)
        self.assert_only_placeholders(problems, *{problem.split(":")[0] for problem in problems})
        return [problem.split(":")[0] for problem in problems]

    def assert_only_placeholders(self, problems, *paths):
        """They are of places to be filled in in these files, and in each of them."""
        self.assertEqual([problem for problem in problems if ": not filled in: " not in problem], [])
        self.assertEqual({problem.split(":")[0] for problem in problems}, set(paths))

    def fill_in_case(self, path, **fields):
        """Writes the last case of a file as a person does, by the fields."""
        document = json.loads(self.read(path))
        document["cases"][-1].update(fields)
        self.write(path, case_format.dump(document))

    def run_cases(self, path, case_id, *options):
        command = ["conformance/run", "--cases=" + os.path.join(self.root, path), "--filter=" + case_id, *options]
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)

    def assert_checks_pass(self):
        for check in (check_cases, check_statements, check_deviations):
            self.assertEqual(check.check(self.root), [])


class CaseTest(Copy):
    ID = "input/rebatch/a_last_batch_of_two_rows_is_split"

    def test_a_case_is_one_file(self):
        self.scaffold("case", self.ID)
        self.assertEqual(self.refused_cases(), [REBATCH] * 9)
        self.assertEqual(self.read(REBATCH), case_format.dump(json.loads(self.read(REBATCH))))
        self.assertIn(placeholder.fill("the level"), self.run_cases(REBATCH, self.ID).stdout)
        self.fill_in_case(REBATCH, **CASE)
        self.assert_checks_pass()
        run = self.run_cases(REBATCH, self.ID)
        self.assertEqual(run.returncode, 0, run.stdout)
        self.fill_in_case(REBATCH, expect=[{"observation": "observed", "equals": [[2, 2], [2, 0]]}])
        self.assertEqual(self.run_cases(REBATCH, self.ID).returncode, 1)
        self.assert_touched(REBATCH)

    def test_what_a_statement_says_is_filled_in(self):
        self.scaffold("case", self.ID, "--holds=" + STATEMENT)
        self.assertEqual(self.refused_cases(), [REBATCH] * 5)
        case = json.loads(self.read(REBATCH))["cases"][-1]
        for field in ("level", "cites", "holds"):
            self.assertEqual(case[field], CASE[field])

    def test_a_new_topic_is_one_file_too(self):
        path = "conformance/cases/input/last_batches.json"
        self.scaffold("case", "input/last_batches/two_rows_are_split")
        self.assertEqual(self.refused_cases(), [path] * 10)
        self.fill_in_case(path, **CASE)
        self.fill_in(path, "Last batches of a pass")
        self.assert_checks_pass()
        self.assert_touched(path)


class StepTest(Copy):
    def test_a_step_is_its_contract_its_function_and_a_case(self):
        self.scaffold("step", "layer.frozen", "input/rebatch/a_frozen_layer_stays")
        self.assertEqual(self.refused_cases(), [REBATCH] * 8 + [CONTRACTS] * 3)
        self.fill_in(CONTRACTS, "Makes the layer one that is not trained.", "the layer", "nothing.")
        self.fill_in_case(
            REBATCH,
            **{
                **CASE,
                "program": [
                    {"let": "layer", "step": "layer.dense", "kernel": [[1]]},
                    {"step": "layer.frozen", "of": "layer"},
                    *CASE["program"],
                ],
            },
        )
        self.assertEqual(self.not_filled_in(), [LAYER_STEPS])
        self.fill_in(LAYER_STEPS, "A layer that is not trained.")
        self.assert_checks_pass()
        self.assertEqual(check_steps.check(self.root), [])
        if shutil.which(check_format.PROGRAM):  # not every system has it
            self.assertEqual(check_format.check(self.root), [])
        self.assertIn(
            'Value LayerFrozen(const StepCall&) {\n  throw Unimplemented("[layer.frozen] not written yet");',
            self.read(LAYER_STEPS),
        )
        self.assertIn('  table.Add("layer.frozen", LayerFrozen);\n}\n', self.read(LAYER_STEPS))
        self.assert_touched(REBATCH, CONTRACTS, LAYER_STEPS)

    def test_a_step_can_stand_after_nearly_any_other(self):
        tree, without = Contribution(self.root), []
        for after in case_files.described_steps(self.root):
            try:
                path = step.file_of(tree, after)
            except step.Refused:
                without.append(after)
                continue
            text = step.with_function(self.read(path), "x.more", after)
            self.assertRegex(text, r'not written yet"\);\n\}\n\n\}  // namespace\n')
            behind = text.split('.Add("%s",' % after)[1]
            self.assertNotIn("void Add", behind[: behind.index('\n  table.Add("x.more", XMore);\n}\n')])
        self.assertEqual(without, ["job.run"])


class TesteeTest(Copy):
    FOLDERS = (*planted_copy.PlantedCopy.FOLDERS, "processes/")  # which the kit uses
    FOLDER = "conformance/testees/of_a_test"
    SHARED = ("conformance/testees/BUILD", "conformance/testees.json")
    # A framework that only shows values, which are Python's own.
    FILLED_IN = (
        "Python as a testee: numbers and lists.",
        "no framework",
        "it reads no files",
        *["it learns nothing"] * 8,
        "Python 3",
        "none",
        "no devices",
        "as it is",
        "of all",
        "Python shows its own",
    )

    def scaffold_testee(self, *options):
        self.scaffold("testee", "of_a_test", *options)
        self.assert_only_placeholders(check_deviations.check(self.root), self.SHARED[1])
        self.assertIn(
            '"//conformance/testees/of_a_test:sources",\n        "//conformance/testees/python:sources"',
            self.read("conformance/testees/BUILD"),
        )
        self.assertEqual(self.not_filled_in(), [self.SHARED[1], self.FOLDER + "/BUILD", self.FOLDER + "/testee.py"])
        self.fill_in(self.FOLDER + "/BUILD", "Python")

    def test_a_testee_is_its_folder_and_one_entry(self):
        self.scaffold_testee()
        self.fill_in("conformance/testees.json", "Python alone, for a test.", "of_a_test", "of_a_test")
        self.fill_in(self.FOLDER + "/testee.py", *self.FILLED_IN)
        self.assert_checks_pass()
        command = "env PYTHONPATH=%s %s -m conformance.testees.of_a_test.testee" % (self.root, sys.executable)
        probe = self.run_cases("conformance/cases", "*", "--probe", "--testee=" + command)
        self.assertEqual(probe.returncode, 0, probe.stdout)
        run = self.run_cases("conformance/cases/equivalence/batches.json", "*", "--testee=" + command, "--verbose")
        self.assertIn("it learns nothing", run.stdout)
        self.assert_touched(self.FOLDER + "/BUILD", self.FOLDER + "/testee.py", *self.SHARED)

    def test_one_of_ranks_uses_what_the_kit_has(self):
        self.scaffold_testee("--ranks")
        for node in ast.walk(ast.parse(self.read(self.FOLDER + "/testee.py"))):
            if isinstance(node, ast.ImportFrom) and node.module.startswith("conformance"):
                place = node.module.replace(".", "/")
                for name in (alias.name for alias in node.names):
                    is_module = os.path.exists(os.path.join(self.root, place, name + ".py"))
                    self.assertTrue(
                        is_module or re.search(r"^(class |def )?%s\b" % name, self.read(place + ".py"), re.MULTILINE),
                        name,
                    )


class DeviationTest(Copy):
    CASE = "equivalence/batches/a_full_batch_trains_as_one"
    LIST, SCRIPTS = "conformance/deviations/tf_keras.json", "conformance/defects/defects.json"
    SCRIPT = "conformance/defects/tf_keras/tf_keras_loses_a_row.py"

    def test_a_deviation_is_an_entry_and_a_script(self):
        self.assertEqual(check_deviations.check(self.root), [])
        self.scaffold("deviation", "tf_keras", "tf_keras_loses_a_row", self.CASE)
        self.assert_only_placeholders(check_deviations.check(self.root), self.LIST, self.SCRIPTS)
        self.assertEqual(self.not_filled_in(), [self.SCRIPTS, self.SCRIPT, self.LIST])
        self.fill_in(self.LIST, "defect", "It loses a row where the batch divides.", "https://example.org/1")
        self.fill_in(self.SCRIPTS, "open", "a row is lost", "example/repo#1")
        self.fill_in(self.SCRIPT, "Keras", "one", "none", "nothing to import", "nothing to run")
        for path in (self.LIST, self.SCRIPTS):
            self.write(path, case_format.dump(json.loads(self.read(path))))
        self.assertEqual(check_deviations.check(self.root), [])
        shown = subprocess.run(
            [sys.executable, os.path.join(self.root, self.SCRIPT)], check=False, capture_output=True, text=True
        )
        self.assertEqual(shown.stdout, "expected None, observed None\n")
        self.assert_touched(self.LIST, self.SCRIPTS, self.SCRIPT)


class MutantTest(Copy):
    FOLDERS = (*planted_copy.PlantedCopy.FOLDERS, "reference/")
    PATH = "conformance/mutants/planted/losses/loss/refusal_is_turned_around.json"

    def problems(self):
        """What mutants_test says of this tree."""
        result = unittest.TestResult()
        with mock.patch.object(source_tree, "find_root", return_value=self.root):
            unittest.defaultTestLoader.loadTestsFromModule(mutants_test).run(result)
        self.assertGreater(result.testsRun, 5)
        return "\n".join(text for _, text in result.failures + result.errors)

    def test_a_mutant_is_one_file(self):
        self.assertEqual(self.problems(), "")
        self.scaffold("mutant", "losses/loss/refusal_is_turned_around")
        self.assertIn("refusal_is_turned_around", self.problems())
        self.fill_in(
            self.PATH,
            "if (!DistributionContext::Current().has_strategy()) return;",
            "if (DistributionContext::Current().has_strategy()) return;",
            "Means are refused without a strategy, and let through with one.",
            "loss/reduction/sum_over_batch_size_is_refused_under_a_strategy",
        )
        self.write(self.PATH, case_format.dump(json.loads(self.read(self.PATH))))
        self.assertEqual(self.problems(), "")
        self.assert_touched(self.PATH)


if __name__ == "__main__":
    xml_unittest.main()
