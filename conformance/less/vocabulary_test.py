"""What is read of the documents of the steps."""

from conformance.less import vocabulary
from tools import source_tree, xml_unittest
from tools.check_cases import case_files

DOCUMENT = """# Steps

### `dataset.mix`
In another order.

| argument | type | meaning |
|---|---|---|
| of | name | a dataset |
| order | choice: drawn, turned; optional | drawn |
| size | integer | how many at a time |
| again | boolean, optional | another order each pass; true |
| twice | boolean, optional | false |

Gives: a dataset. Errors: InvalidArgument when size
is not positive.

### `dataset.count`
How many elements.

| argument | type | meaning |
|---|---|---|
| of | name | a dataset |

Gives: an integer.

### `value.largest`
The largest entry.

| argument | type | meaning |
|---|---|---|
| of | value | |

Gives: a scalar; NaN when there are no entries.
"""


class VocabularyTest(source_tree.PlantedTree):
    def setUp(self):
        super().setUp()
        self.plant(case_files.CALLS, DOCUMENT)
        self.plant(case_files.INTENTS, "### `job.wait`\nWaits.\n\nGives: nothing.\n")
        self.steps = vocabulary.read_steps(self.root)

    def test_reads_both_documents_in_order(self):
        self.assertEqual(list(self.steps), ["dataset.mix", "dataset.count", "value.largest", "job.wait"])

    def test_reads_arguments(self):
        arguments = self.steps["dataset.mix"].arguments
        self.assertEqual(list(arguments), ["of", "order", "size", "again", "twice"])
        self.assertEqual(arguments["of"], vocabulary.Argument("name", False, (), "a dataset"))
        self.assertEqual(arguments["order"], vocabulary.Argument("choice", True, ("drawn", "turned"), "drawn"))

    def test_tells_what_is_true_unasked(self):
        self.assertEqual([name for name, it in self.steps["dataset.mix"].arguments.items() if it.unasked], ["again"])

    def test_a_step_passes_on_what_is_of_the_kind_that_it_gives(self):
        self.assertEqual([step.passes_on for step in self.steps.values()], ["of", None, "of", None])


if __name__ == "__main__":
    xml_unittest.main()
