"""What is committed of the versions of a framework."""

import json
import os
import tempfile
import unittest

from conformance.versions import found_table
from conformance.versions.framework_table import Framework, Together
from conformance.versions.version_run import VersionResult
from conformance.versions.version_table import VersionTable
from reports.conformance_result_testing import case, result
from reports.json_file import ReportError
from tools import xml_unittest

FAKE = Framework("fake", "fake", "fake", (Together("1.*", ("also==2",), (("OLD", "1"),)),))
IDS = {"input/rebatch/stays", "input/rebatch/breaks", "input/rebatch/also_breaks"}


def made(*columns, problem=None):
    versions = ["1.0", "2.0"][: len(columns)]
    results = [result("fake", f"Fake {version}", cases) for version, cases in zip(versions, columns)]
    entries = [VersionResult(*pair) for pair in zip(versions, results)]
    entries += [VersionResult("3.0", problem=problem)] if problem else []
    table = VersionTable(versions, results, lambda version: version)
    return found_table.of(FAKE, entries, table, IDS)


def breaking():
    return (
        [case("stays"), case("breaks"), case("also_breaks")],
        [case("stays"), case("breaks", "failed"), case("also_breaks", "errored")],
    )


class FoundTableTest(unittest.TestCase):
    def test_holds_the_cases_whose_verdict_changes_by_their_ids(self):
        found = made(*breaking())
        self.assertEqual(
            [(entry["id"], entry["level"], entry["verdicts"]) for entry in found["changed"]],
            [
                ("input/rebatch/also_breaks", "required", {"1.0": "passed", "2.0": "errored"}),
                ("input/rebatch/breaks", "required", {"1.0": "passed", "2.0": "failed"}),
            ],
        )
        self.assertEqual((found["framework"], found["cases"]), ("fake", 3))

    def test_says_of_each_version_what_it_was_and_how_many_have_each_verdict(self):
        first, second = made(*breaking())["versions"]
        self.assertEqual((first["version"], first["implementation"]), ("1.0", "Fake 1.0"))
        self.assertEqual([first["installed"], second["installed"]], [["fake==1.0", "also==2"], ["fake==2.0"]])
        self.assertEqual([first["variables"], second["variables"]], [{"OLD": "1"}, {}])
        self.assertEqual([first["required"], second["required"]], [[3, 3], [1, 3]])
        self.assertEqual(second["verdicts"], {"passed": 1, "failed": 1, "errored": 1})

    def test_has_nothing_of_the_machine_or_of_the_clock(self):
        self.assertEqual(
            sorted(made(*breaking())["versions"][0]),
            ["day", "implementation", "installed", "required", "variables", "verdicts", "version"],
        )
        self.assertRegex(made(*breaking())["versions"][0]["day"], r"^\d{4}-\d\d-\d\d$")

    def test_is_of_all_cases_or_of_none(self):
        few = [entry for entry in breaking()[0] if entry["id"] != "input/rebatch/breaks"]
        with self.assertRaisesRegex(ReportError, r"2.0: wanted all 3 cases .*, got 2, 2 of them"):
            made(breaking()[0], few)
        others = [*few, case("is_unknown")]
        with self.assertRaisesRegex(ReportError, r"1.0: wanted all 3 cases .*, got 3, 2 of them"):
            made(others)

    def test_is_of_all_versions_or_of_none(self):
        with self.assertRaisesRegex(ReportError, "3.0 cannot be installed"):
            made(*breaking(), problem="cannot be installed")

    def test_is_written_with_a_case_a_line(self):
        found = made(*breaking())
        text = found_table.dump(found)
        self.assertEqual(json.loads(text), found)
        self.assertEqual(sum('"id"' in line for line in text.splitlines()), 2)
        same = made(breaking()[0])
        self.assertEqual(json.loads(found_table.dump(same)), same)

    def test_is_read_by_the_framework_s_name(self):
        with tempfile.TemporaryDirectory() as root:
            self.assertEqual(found_table.load_all(root), {})
            folder = os.path.join(root, found_table.FOLDER)
            os.makedirs(folder)
            with open(os.path.join(folder, "fake.json"), "w", encoding="utf-8") as file:
                file.write(found_table.dump(made(*breaking())))
            self.assertEqual(found_table.load_all(root), {"fake": made(*breaking())})


if __name__ == "__main__":
    xml_unittest.main()
