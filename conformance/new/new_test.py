"""What the scaffolds print, and what they refuse."""

import ast
import contextlib
import io

from conformance.new import new
from tools import placeholder, source_tree, xml_unittest
from tools.check_cases import case_format

OPERATIONS = """# Operations
## data
### `data.show`
| of | value | anything |

Gives: it.

## end
"""
INTENTS = """# Intents
### `train.batches`

Gives: nothing.
"""
STEPS = """namespace {

Value Show() {}

}  // namespace

void AddDataSteps(StepTable& table) { table.Add("data.show", Show); }

"""
WRITTEN = """namespace {

Value Show() {}

// %s
Value DataANameThatIsSoLongThatNoLineHoldsIt(const StepCall&) {
  throw Unimplemented("[data.a_name_that_is_so_long_that_no_line_holds_it] not written yet");
}

}  // namespace

void AddDataSteps(StepTable& table) { table.Add("data.show", Show);
  table.Add("data.a_name_that_is_so_long_that_no_line_holds_it",
            DataANameThatIsSoLongThatNoLineHoldsIt);
}

""" % placeholder.fill("what it does in the reference")
REFERENCE = "conformance/testees/reference/data_steps.cc"


class NewTest(source_tree.PlantedTree):
    def setUp(self):
        super().setUp()
        statements = {
            "statements": [
                {"id": "guide/it_counts", "source": "guide", "anchor": "split", "level": "required"},
                {"id": "guide/it_ends", "source": "guide", "anchor": "split", "level": "recommended"},
            ]
        }
        self.plant("conformance/statements.json", case_format.dump(statements))
        self.plant("conformance/cases/input/a.json", case_format.dump({"topic": "A", "cases": [{"id": "input/a/b"}]}))
        self.plant("conformance/testees.json", case_format.dump({"testees": [{"name": "mini"}]}))
        self.plant("conformance/testees/BUILD", 'filegroup(name = "other")\n')
        self.plant("conformance/testees/other/BUILD")
        self.plant("conformance/operations.md", OPERATIONS)
        self.plant("conformance/intents.md", INTENTS)
        self.plant(REFERENCE, STEPS)
        self.plant("reference/losses/loss.cc")

    def run_new(self, *arguments):
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as error:
            status = new.main(arguments, self.root)
        return status, out.getvalue() + error.getvalue()

    def assert_refused(self, words, *arguments):
        status, said = self.run_new(*arguments)
        self.assertEqual(status, 2, said)
        self.assertTrue(said.startswith("[New] %s: " % arguments[0]), said)
        self.assertIn(words, said)

    def written(self, path):
        return "\n".join(source_tree.read_lines(self.root, path))

    def test_prints_what_is_left_with_file_line_and_command(self):
        status, said = self.run_new("case", "input/a/c")
        self.assertEqual(status, 0)
        self.assertIn(
            "Wrote conformance/cases/input/a.json\n\nLeft to do:\n"
            "  1. Fill in, until nothing is refused by  ./bazelw run //tools/check_cases\n"
            "     conformance/cases/input/a.json:7  the level: required, recommended,",
            said,
        )
        self.assertIn("--test_filter='*input/a/c'", said)
        self.assertNotIn("A new topic", said)
        new_topic = self.run_new("case", "input/b/c")[1]
        self.assertIn("git add conformance/cases/input/b.json", new_topic)
        self.assertIn("A new topic has a planted bug", new_topic)

    def test_statements_of_two_levels_leave_the_level_open(self):
        self.run_new("case", "input/a/c", "--holds=guide/it_counts", "--holds=guide/it_ends")
        case = case_format.load(self.written("conformance/cases/input/a.json"))["cases"][-1]
        self.assertIn("FILL IN", case["level"])
        self.assertEqual(case["cites"], [{"source": "guide", "anchor": "split"}])
        self.assertEqual(case["holds"], ["guide/it_counts", "guide/it_ends"])

    def test_refuses_cases(self):
        self.assert_refused("wanted", "case", "kitchen/a/c")
        self.assert_refused("in lower snake case, got input/a", "case", "input/a")
        self.assert_refused("has a case input/a/b already", "case", "input/a/b")
        self.assert_refused("at most 60 characters, got 70", "case", "input/a/" + "c" * 70)
        self.assert_refused("no statement guide/it_is", "case", "input/a/c", "--holds=guide/it_is")
        self.assert_refused("is generated", "case", "equivalence/option_pairs/c")

    def test_a_refused_contribution_writes_nothing(self):
        self.assert_refused("has a case", "step", "data.more", "input/a/b")
        self.assertEqual((self.written("conformance/operations.md"), self.written(REFERENCE)), (OPERATIONS, STEPS))

    def test_a_long_step_after_one_on_a_line(self):
        name = "data.a_name_that_is_so_long_that_no_line_holds_it"
        self.assertEqual(self.run_new("step", name, "input/a/c")[0], 0)
        self.assertEqual(self.written(REFERENCE), WRITTEN)
        self.assertIn("Gives: it.\n\n### `%s`\nFILL IN" % name, self.written("conformance/operations.md"))
        self.assertIn("or 'nothing.'\n\n## end\n", self.written("conformance/operations.md"))

    def test_refuses_steps(self):
        self.assert_refused("a new name", "step", "data.show", "input/a/c")
        self.assert_refused("a new name", "step", "Data", "input/a/c")
        self.assert_refused("no step is called model.*", "step", "model.more", "input/a/c")
        self.assert_refused("have no step data.hide", "step", "model.more", "input/a/c", "--after=data.hide")
        self.plant(REFERENCE, "")
        self.assert_refused("adds data.show: say --after", "step", "data.more", "input/a/c")

    def test_refuses_testees(self):
        self.assert_refused("in lower snake case, got Mini", "testee", "Mini")
        self.assert_refused("has a testee mini already", "testee", "mini")
        self.assert_refused("is there already", "testee", "other")
        self.assert_refused("no filegroup framework_sources", "testee", "more")

    def plant_deviations(self):
        for name in ("mini", "mini_too"):
            self.plant(
                "conformance/deviations/%s.json" % name,
                case_format.dump(
                    {
                        "format": 3,
                        "implementation": name,
                        "deviations": [{"cases": ["a/a/a"]}, {"cases": ["a/c/a"]}],
                        "unsupported": [],
                    }
                ),
            )
        self.plant(
            "conformance/testees.json",
            case_format.dump(
                {
                    "testees": [
                        {"name": "mini"},
                        {"name": "mini_too"},
                        {"name": "shares", "deviations": "mini"},
                        {"name": "new"},
                    ]
                }
            ),
        )
        self.plant(
            "conformance/defects/defects.json",
            case_format.dump(
                [{"script": "mini/adds.py", "framework": "mini"}, {"script": "mini/skips.py", "framework": "mini"}]
            ),
        )

    def test_a_deviation_is_an_entry_and_a_script(self):
        self.plant_deviations()
        before = set(source_tree.list_files(self.root))
        self.assertEqual(self.run_new("deviation", "mini_too", "loses", "a/b/d", "a/b/c")[0], 0)
        self.assertEqual(set(source_tree.list_files(self.root)) - before, {"conformance/defects/mini/loses.py"})
        entries = case_format.load(self.written("conformance/deviations/mini_too.json"))["deviations"]
        self.assertEqual([entry["cases"] for entry in entries], [["a/a/a"], ["a/b/c", "a/b/d"], ["a/c/a"]])
        self.assertEqual(entries[1]["script"], "conformance/defects/mini/loses.py")
        scripts = case_format.load(self.written("conformance/defects/defects.json"))
        self.assertEqual([entry["script"] for entry in scripts], ["mini/adds.py", "mini/loses.py", "mini/skips.py"])
        ast.parse(self.written("conformance/defects/mini/loses.py"))

    def test_a_deviation_goes_to_the_list_that_counts_for_the_testee(self):
        self.plant_deviations()
        self.assertEqual(self.run_new("deviation", "shares", "loses")[0], 0)
        self.assertIn("loses.py", self.written("conformance/deviations/mini.json"))

    def test_refuses_deviations(self):
        self.plant_deviations()
        self.assert_refused("no testee maxi, wanted one of mini,", "deviation", "maxi", "loses")
        self.assert_refused("in lower snake case, got a-b", "deviation", "mini", "a-b")
        self.assert_refused("--testee=new --update begins it", "deviation", "new", "loses")
        self.plant("conformance/defects/mini/loses.py")
        self.assert_refused("is there already", "deviation", "mini", "loses")

    def test_refuses_mutants(self):
        self.assert_refused("got lost", "mutant", "lost")
        self.assert_refused("no source reference/losses/more.cc", "mutant", "losses/more/lost")
        self.assertEqual(self.run_new("mutant", "losses/loss/lost")[0], 0)
        self.assert_refused("is there already", "mutant", "losses/loss/lost")


if __name__ == "__main__":
    xml_unittest.main()
