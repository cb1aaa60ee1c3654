"""What a run writes into the source tree."""

import os
import tempfile
import unittest
from unittest import mock

from conformance.answers import run_cases
from conformance.versions import found_page, found_table, publish
from conformance.versions.framework_table import Framework
from conformance.versions.version_run import VersionResult
from conformance.versions.version_table import VersionTable
from reports.conformance_result_testing import case, result
from reports.json_file import ReportError
from tools import xml_unittest

VERSIONS = ["1.0", "2.0"]


class PublishTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"))
        self.addCleanup(folder.cleanup)
        self.root = folder.name

    def write(self, ids):
        results = [
            result("fake", f"Fake {version}", [case("breaks", verdict)])
            for version, verdict in zip(VERSIONS, ("passed", "failed"))
        ]
        table = VersionTable(VERSIONS, results, lambda version: version)
        with (
            mock.patch.dict(os.environ, {"BUILD_WORKSPACE_DIRECTORY": self.root}),
            mock.patch.object(run_cases, "list_ids", lambda *unused: set(ids)),
        ):
            entries = list(map(VersionResult, VERSIONS, results))
            publish.write(Framework("fake", "fake", "fake"), entries, table)

    def test_writes_the_table_of_the_framework_which_the_page_shows(self):
        self.write(["input/rebatch/breaks"])
        found = found_table.load_all(self.root)
        self.assertEqual(list(found), ["fake"])
        self.assertIn("| input/rebatch/breaks | required | passed | failed |", found_page.build(found, []))

    def test_writes_nothing_where_not_all_cases_were_put(self):
        with self.assertRaises(ReportError):
            self.write(["input/rebatch/breaks", "input/rebatch/stays"])
        self.assertEqual(os.listdir(self.root), [])


if __name__ == "__main__":
    xml_unittest.main()
