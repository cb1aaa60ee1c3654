import unittest

from reports.conformance_result_testing import case, deviation, result
from reports.json_file import ReportError
from reports.matrix_table import MatrixTable
from tools import xml_unittest


def other_topic(claim, verdict="passed"):
    return {**case(claim, verdict), "id": f"loss/average/{claim}",
            "topic": "Losses over the batch"}


class MatrixTableTest(unittest.TestCase):
    def test_rows_are_cases_by_area_and_topic(self):
        table = MatrixTable([result("a", "A 1.0", [case("y"), other_topic("x")])])
        self.assertEqual([area["name"] for area in table.areas], ["input", "loss"])
        topic = table.areas[1]["topics"][0]
        self.assertEqual(topic["path"], "loss/average")
        self.assertEqual(topic["title"], "Losses over the batch")
        self.assertEqual([row["case"]["id"] for row in topic["rows"]],
                         ["loss/average/x"])

    def test_columns_keep_their_order(self):
        table = MatrixTable([result("b", "B 2.1 (x)", [case("x", "failed")]),
                             result("a", "Anything", [case("x")])])
        self.assertEqual([(c["key"], c["name"], c["version"]) for c in table.columns],
                         [("b", "B", "2.1 (x)"), ("a", "Anything", "")])
        self.assertEqual(table.rows[0]["statuses"], ["failed", "passed"])
        self.assertEqual(table.areas[0]["passed"], [(0, 1), (1, 1)])

    def test_a_case_that_one_of_them_was_not_asked(self):
        table = MatrixTable([result("a", "A 1", [case("x")]),
                             result("b", "B 1", [case("x"), case("y")])])
        self.assertEqual(table.rows[1]["statuses"], ["not_run", "passed"])
        self.assertIsNone(table.rows[1]["cells"][0]["case"])
        self.assertEqual(table.areas[0]["passed"], [(1, 1), (2, 2)])

    def test_counts_by_level(self):
        column = MatrixTable([result("a", "A 1", [
            case("p"), case("f", "failed"), case("u", "unsupported"),
            case("t", "timed_out"), case("r", level="recommended"),
            case("o", level="observed"),
            case("d", level="observed", observed_differently=True),
            case("e", observed_differently=True),
        ])]).columns[0]
        self.assertEqual(column["levels"], [(2, 5), (1, 1), (1, 2)])
        self.assertEqual(column["answered"], 6)
        self.assertEqual(column["counts"]["differs"], 2)

    def test_counts_kinds_of_deviations(self):
        cases = [case("x", "failed", deviation=deviation()),
                 case("y", "errored", deviation=deviation(kind="defect")),
                 case("z", "failed", deviation=deviation())]
        column = MatrixTable([result("a", "A 1", cases)]).columns[0]
        self.assertEqual(column["kinds"], {"by_design": 2, "defect": 1})

    def test_refuses_one_testee_twice(self):
        with self.assertRaisesRegex(ReportError, "two results of the testee a"):
            MatrixTable([result("a", "A 1", []), result("a", "A 2", [])])

    def test_refuses_different_cases_of_one_id(self):
        with self.assertRaisesRegex(ReportError, "rebatch/x: 'expect' differs .* of b"):
            MatrixTable([result("a", "A 1", [case("x")]),
                         result("b", "B 1", [case("x", expect=[])])])


if __name__ == "__main__":
    xml_unittest.main()
