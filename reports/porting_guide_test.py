import contextlib
import io
import unittest
from unittest import mock

from reports import porting_guide
from reports.conformance_result_testing import case, deviation, result, write
from reports.dialect_difference import DialectDifference
from reports.html_testing import Page
from tools import xml_unittest

CONVENTIONS = [
    {"id": "gradient_combination", "question": "How are gradients combined?",
     "values": [{"id": "sum", "means": "They are added."},
                {"id": "mean", "means": "They are averaged."}],
     "porting": [{"from": "sum", "to": "mean", "note": "Average | the loss."}]},
    {"id": "remainder", "question": "What of the rest?",
     "values": [{"id": "split", "means": "It is split."},
                {"id": "drop", "means": "It is dropped."}],
     "porting": [{"from": "split", "to": "drop", "note": "Expect less."},
                 {"from": "pad", "to": "split", "note": "Expect no more."}]},
    {"id": "initial_values", "question": "When are they equal?",
     "values": [{"id": "at_once", "means": "At once."}, {"id": "late", "means": "Late."}],
     "porting": [{"from": "at_once", "to": "late", "note": "Wait."}]},
]
SUMMED = {"expect": [{"observation": "sizes", "equals": 3,
                      "when": {"gradient_combination": "sum"}}]}


def testee(name, implementation, cases, **conventions):
    found = result(name, implementation, cases)
    found["testee"]["conventions"] = conventions
    return found


def old():
    return testee("tensorflow", "TensorFlow 2.21.0", [
        case("summed", **SUMMED), case("gathered"), case("joined"), case("split"),
        case("odd", "failed", deviation=deviation(reason="An old defect.")),
        case("lost", "unsupported"), case("alone")], remainder="drop")


def new():
    return testee("pytorch_ddp", "PyTorch 2.11.0", [
        case("summed", **SUMMED), case("gathered", "unsupported"),
        case("joined", "unsupported"), case("odd"), case("lost", "unsupported"),
        case("split", "failed", deviation=deviation(reason="It pads."))],
        gradient_combination="mean", remainder="split", initial_values="late")


def difference(source=None, target=None):
    return DialectDifference(source or old(), target or new(), CONVENTIONS)


def ids(pairs):
    return [pair["case"]["id"].split("/")[-1] for pair in pairs]


class DialectDifferenceTest(unittest.TestCase):
    def test_finds_conventions_declared_otherwise(self):
        found = difference().conventions
        self.assertEqual(
            [(f["convention"]["id"], f["from"]["id"], f["to"]["id"], f["note"])
             for f in found],
            [("gradient_combination", "sum", "mean", "Average | the loss."),
             ("remainder", "drop", "split", None),
             ("initial_values", "at_once", "late", "Wait.")])
        self.assertEqual(ids(found[0]["cases"]), ["summed"])
        self.assertEqual(found[1]["cases"], [])

    def test_what_is_not_declared_is_as_documented(self):
        same = difference(old(), old())
        self.assertEqual(same.conventions, [])
        self.assertEqual([(c["id"], value["id"]) for c, value in same.same],
                         [("gradient_combination", "sum"), ("remainder", "drop"),
                          ("initial_values", "at_once")])

    def test_finds_what_only_the_target_lacks(self):
        lacking = difference().lacking
        self.assertEqual(list(lacking), ["input.batch_sizes"])
        entry = lacking["input.batch_sizes"]
        self.assertEqual(ids(entry["cases"]), ["gathered", "joined"])
        self.assertEqual(entry["reasons"], ["it has no batches"])

    def test_finds_what_behaves_otherwise(self):
        self.assertEqual(ids(difference().behaviours), ["split"])
        self.assertEqual(ids(difference().gained), ["odd"])

    def test_says_what_differs_where_no_deviation_says_why(self):
        target = result("new", "New 1.0", [case("split", "failed")])
        found = difference(target=target).behaviours
        self.assertEqual([pair["why"] for pair in found],
                         ["at [1][0]: expected 1, observed 2"])


class PortingGuideTest(unittest.TestCase):
    def test_markdown_says_what_to_change_and_why(self):
        text = porting_guide.build("porting_guide.md.j2", difference())
        for words in (
            "# From TensorFlow to PyTorch\n",
            "- TensorFlow: They are added.\n- PyTorch: They are averaged.\n",
            "**Change:** Average | the loss.\n",
            "**Change:** Nothing is noted for this way",
            "| `input/rebatch/summed` A batch is summed. | passed | passed |\n",
            "| `input.batch_sizes` | it has no batches | 2 |\n",
            "| `input/rebatch/split` A batch is split. | required | failed | It pads. |\n",
            "| `input/rebatch/odd` A batch is odd. | required | failed | An old defect. |\n",
            "No convention is shared.",
        ):
            self.assertIn(words, text)

    def test_page_is_well_formed_and_says_the_same(self):
        page = Page(porting_guide.build("porting_guide.html.j2", difference()))
        self.assertEqual(page.problems, [])
        self.assertEqual(page.fetched, [])
        for words in ("From TensorFlow to PyTorch", "Change: Average | the loss.",
                      "it has no batches", "It pads.", "An old defect."):
            self.assertIn(words, page.text)

    def test_two_of_a_kind_differ_in_nothing(self):
        for template in ("porting_guide.md.j2", "porting_guide.html.j2"):
            text = porting_guide.build(template, difference(old(), old()))
            self.assertIn("Both declare the same conventions.", text)
            self.assertIn("It is dropped.", text)
            self.assertEqual(text.count("None."), 2)

    def test_the_project_s_conventions_note_both_ways(self):
        for convention in porting_guide.load_conventions():
            documented, *others = [value["id"] for value in convention["values"]]
            noted = {(p["from"], p["to"]) for p in convention["porting"]}
            for other in others:
                self.assertIn((documented, other), noted, convention["id"])
                self.assertIn((other, documented), noted, convention["id"])

    @mock.patch.object(porting_guide, "load_conventions", lambda: CONVENTIONS)
    def test_main_prints_or_says_what_is_wrong(self):
        source, target = write(old()), write(new())
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            statuses = [
                porting_guide.main([f"--from={source}", f"--to={target}"]),
                porting_guide.main([f"--from={source}", "--to=/no/such/file.json"]),
            ]
        self.assertEqual(statuses, [0, 1])
        self.assertIn("# From TensorFlow to PyTorch", out.getvalue())
        self.assertIn("/no/such/file.json: No such file", out.getvalue())


if __name__ == "__main__":
    xml_unittest.main()
