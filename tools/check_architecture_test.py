"""The names in docs/architecture.md are true; planted wrong ones are seen."""
from tools import check_architecture
from tools import source_tree
from tools import xml_unittest


class CheckArchitectureTest(source_tree.PlantedTree):

    def problems(self, text):
        self.plant('data/batch.h', 'class Batch {\n  void Next();\n};\n')
        self.plant('docs/architecture.md', text)
        return check_architecture.check(self.root)

    def test_the_document_is_true(self):
        self.assertEqual(check_architecture.check(source_tree.find_root()), [])

    def test_what_is_there_may_be_named(self):
        self.assertEqual(self.problems('In `data/`: `data/batch.h`, `Batch`, `Batch::Next`, `--help`, `x + 1`.'), [])

    def test_files_and_folders_have_to_be_there(self):
        self.assertEqual(self.problems('`data/take.h`\n`info/`'), [
            'docs/architecture.md:1: there is no data/take.h', 'docs/architecture.md:2: there is no info/'])

    def test_names_have_to_stand_in_the_file_before_them(self):
        self.assertEqual(self.problems('`data/batch.h`: `Batch::Previous`, `Take`'), [
            'docs/architecture.md:1: data/batch.h has no Previous', 'docs/architecture.md:1: data/batch.h has no Take'])
        self.assertEqual(self.problems('`Batch`'), ['docs/architecture.md:1: Batch stands before any file'])


if __name__ == '__main__':
    xml_unittest.main()
