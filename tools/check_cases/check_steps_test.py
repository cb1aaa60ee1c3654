"""A step of the vocabulary stands where the checklist of docs/architecture.md says, and nowhere else."""

from tools import source_tree, xml_unittest
from tools.check_cases import check_steps

CHECKLIST = """**A kernel.** In `a/kernel.cc`.

**A step of the vocabulary.** Is in these.

1. Its contract, `conformance/operations.md`.
2. Its function,
   `testees/*_steps.py`.

`b/c.cc` is no place.
"""


class CheckStepsTest(source_tree.PlantedTree):
    maxDiff = None

    def setUp(self):
        super().setUp()
        self.plant("docs/architecture.md", CHECKLIST)
        self.plant("conformance/operations.md", "### `dataset.take`\n")
        self.plant("conformance/intents.md", "### `program.repeat`\n")
        self.plant("testees/dataset_steps.py", 'STEP = "dataset.take"\n')

    def problems(self, path, text):
        self.plant(path, text)
        return check_steps.check(self.root)

    def assert_refused(self, path, text, step="dataset.take"):
        self.assertEqual(
            self.problems(path, text),
            ["%s: names the step %s, and is no place of the checklist in docs/architecture.md" % (path, step)],
        )

    def test_the_checklist_is_whole(self):
        self.assertEqual(check_steps.check(source_tree.find_root()), [])

    def test_a_place_of_the_list_may_name_a_step(self):
        self.assertEqual(check_steps.check(self.root), [])

    def test_other_code_may_not(self):
        self.assert_refused("b/c.cc", 'f(x == "dataset.take");\n')

    def test_other_code_in_python_may_not_either(self):
        self.assert_refused("b/c.py", "f('dataset.take')\n")

    def test_a_list_in_json_may_not_either(self):
        self.assert_refused("b/c.json", '{"of": "https://example.org", "step": "dataset.take"}\n')

    def test_a_place_is_no_folder_deeper(self):
        self.assert_refused("testees/more/dataset_steps.py", '"dataset.take"\n')

    def test_comments_texts_tests_and_documents_may(self):
        for path, text in (
            ("a.cc", 'f();  // "dataset.take"\n'),
            ("a.py", '"""As in "dataset.take"."""\n'),
            ("a_test.cc", 'f("dataset.take");\n'),
            ("a.md", '"dataset.take"\n'),
            ("b.cc", 'f("a dataset.take b");\n'),
        ):
            self.assertEqual(self.problems(path, text), [], path)

    def test_the_form_of_programs_knows_few_steps(self):
        self.assertEqual(self.problems("conformance/runner/cases/program.cc", '"program.repeat"\n'), [])
        self.assert_refused("conformance/runner/cases/program.cc", '"dataset.take"\n')

    def test_what_the_list_names_has_to_be_there(self):
        self.plant("docs/architecture.md", CHECKLIST.replace("*_steps", "*_parts"))
        self.assertEqual(
            check_steps.check(self.root),
            [
                "docs/architecture.md: no file is testees/*_parts.py",
                "testees/dataset_steps.py: names the step dataset.take, and is no place of the checklist in "
                "docs/architecture.md",
            ],
        )

    def test_a_step_has_five_places_at_most(self):
        for count in (0, 6):
            items = "".join("%d. `conformance/operations.md`\n" % number for number in range(count))
            self.plant("docs/architecture.md", check_steps.TITLE + "\n\n" + items)
            self.assertEqual(
                check_steps.check(self.root), ["docs/architecture.md: a step has %d places, wanted 1 to 5" % count]
            )


if __name__ == "__main__":
    xml_unittest.main()
