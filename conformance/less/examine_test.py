"""Which case notices what was removed, with invented runs."""

import shlex
import unittest

from conformance.less import case_runs, examine, proxy, run, unnoticed, vocabulary
from conformance.less.examine import Finding
from conformance.less.removal import Removal
from tools import source_tree, xml_unittest

STEPS = vocabulary.read_steps(".")
FAIL = [{"step": "value.fail", "on_replica": 1}]
HOLDS = {"verdict": "passed", "matches": True}
FAILS = {"verdict": "failed", "matches": False}


def make_case(name, level, program):
    return case_runs.Case("a/b/" + name, level, program, False, {}, "a/b.json", {})


class ExamineTest(unittest.TestCase):
    def examine(self, levels, less, name="value.fail", whole=HOLDS, says=proxy.CARRIED_OUT, program=FAIL):
        """The finding where the reference less something gives `less` and the whole one `whole`, to every case."""

        def made_up(cases, testee):
            words = shlex.split(testee)
            self.put.append([case.id for case in cases])
            if len(words) == 1:
                return {case.id: whole for case in cases}
            log = next(word for word in words if word.startswith("--log="))
            with open(log[len("--log=") :], "a", encoding="utf-8") as stream:
                print(says, file=stream)
            return {case.id: less.get(case.level, HOLDS) for case in cases}

        self.put = []
        cases = [make_case(str(number), level, program) for number, level in enumerate(levels)]
        examiner = examine.Examiner({case.id: case for case in cases}, "pipe", made_up)
        return examiner.examine(Removal.parse(name, STEPS))

    def test_the_first_required_case_that_fails_notices(self):
        levels = ["recommended", "required", "required"]
        found = self.examine(levels, {"required": FAILS, "recommended": FAILS})
        self.assertEqual(found, Finding("value.fail", examine.NOTICED, "a/b/1", "required"))

    def test_advice_that_is_not_taken_notices(self):
        found = self.examine(["recommended"], {"recommended": {"verdict": "warned", "matches": False}})
        self.assertEqual(found.result, examine.NOTICED)

    def test_cases_that_all_hold_miss_it(self):
        self.assertEqual(self.examine(["required"] * 3, {}).result, examine.MISSED)

    def test_an_informational_case_does_not_notice_for_a_requirement(self):
        self.assertEqual(self.examine(["required", "observed"], {"observed": FAILS}).result, examine.MISSED)

    def test_an_option_that_only_informational_cases_use_is_missed(self):
        informational = {"observed": {"verdict": "informational", "matches": False}}
        program = [{"let": "all", "step": "dataset.batch", "of": "rows", "size": 2}]
        found = self.examine(["observed"], informational, name="dataset.batch:size", program=program)
        self.assertEqual((found.result, self.put), (examine.MISSED, []))

    def test_a_step_that_only_informational_cases_use_is_missed(self):
        found = self.examine(["observed"], {"observed": {"verdict": "informational", "matches": False}})
        self.assertEqual(found.result, examine.MISSED)

    def test_a_case_that_fails_anyway_notices_nothing(self):
        self.assertEqual(self.examine(["required"], {"required": FAILS}, whole=FAILS).result, examine.MISSED)

    def test_a_step_without_which_programs_make_no_sense_is_not_tried(self):
        for says in (proxy.SENSELESS, proxy.SENSELESS + "\n" + proxy.CARRIED_OUT):
            self.assertEqual(self.examine(["required"], {}, says=says).result, examine.NOT_TRIED)

    def test_an_option_that_no_case_uses_is_missed(self):
        self.assertEqual(self.examine(["required"], {}, name="dataset.batch:size").result, examine.MISSED)
        self.assertEqual(self.examine(["required"], {}, name="value.show").result, examine.NOT_TRIED)

    def test_an_integer_without_which_programs_make_no_sense_is_one(self):
        program = [{"let": "own", "step": "dataset.shard", "of": "all", "num_shards": 2, "index": 1}]
        found = self.examine(["required"], {}, name="dataset.shard:num_shards", says=proxy.SENSELESS, program=program)
        self.assertEqual(found.name, "dataset.shard:num_shards=1")

    def test_few_cases_are_put_at_first(self):
        self.examine(["required"] * 30, {})
        self.assertEqual([len(part) for part in self.put], [4, 16, 10])


MISSED = Finding("a.step", examine.MISSED, because="3 cases use it")
NOTICED = Finding("b.step", examine.NOTICED, "a/b/c", "required")


class ListTest(source_tree.PlantedTree):
    def complaints(self, *findings, **listed):
        listed = {name.replace("_", "."): reason for name, reason in listed.items()}
        return unnoticed.complaints(listed, findings, {"a.step", "b.step"})

    def test_what_is_missed_needs_a_case_or_an_entry(self):
        self.assertRegex(self.complaints(MISSED, NOTICED)[0], "^a.step: no case notices it: write a case, or")
        self.assertEqual(self.complaints(MISSED, NOTICED, a_step="It takes time."), [])

    def test_an_option_stands_with_its_step(self):
        self.assertEqual(self.complaints(Finding("a.step:size", examine.MISSED), a_step="It takes time."), [])

    def test_what_is_noticed_leaves_the_list(self):
        self.assertRegex(self.complaints(NOTICED, b_step="So.")[0], r"b.step: noticed by a/b/c .*: take it from")

    def test_what_there_is_not_leaves_the_list(self):
        self.assertRegex(self.complaints(c_step="So.")[0], "^c.step: the vocabulary has no such thing")

    def test_the_list_is_short_and_gives_reasons(self):
        entry = '{"name": "%s", "reason": "%s"}'
        for entries in ([entry % ("a.step", "")], [entry % (i, "So.") for i in range(11)], [entry % (1, "So.")] * 2):
            self.plant(unnoticed.FILE, '{"format": 1, "unnoticed": [%s]}' % ", ".join(entries))
            with self.assertRaises(unnoticed.ListError):
                unnoticed.load(self.root)


class ReportTest(unittest.TestCase):
    def test_markdown(self):
        text = run.to_markdown([MISSED, NOTICED])
        self.assertIn("| a.step | missed | 3 cases use it |\n| b.step | noticed | a/b/c (required) |", text)
        self.assertIn("2 steps and options: 1 noticed by a required or recommended case, 1 not noticed", text)

    def test_json(self):
        self.assertEqual(run.to_json([NOTICED])["removals"][0]["case"], "a/b/c")


if __name__ == "__main__":
    xml_unittest.main()
