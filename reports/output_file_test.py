"""The files that reports read and write."""

import os
import subprocess
import sys
import tempfile
import threading
import unittest

from reports import json_file
from reports.conformance_result_testing import write
from reports.output_file import OutputFile
from tools import xml_unittest

SCHEMA = {"type": "object", "properties": {"a": {"items": {"type": "integer"}}}}


class JsonFileTest(unittest.TestCase):
    def assert_refused(self, path, schema, *words):
        with self.assertRaises(json_file.ReportError) as caught:
            json_file.load(path, schema)
        for word in (path, *words):
            self.assertIn(word, str(caught.exception))

    def test_reads_what_fits(self):
        self.assertEqual(json_file.load(write({"a": [1]}), write(SCHEMA)), {"a": [1]})

    def test_names_a_missing_file(self):
        self.assert_refused("/no/such/file.json", None, "No such file")

    def test_names_the_place_of_a_syntax_error(self):
        self.assert_refused(write('{"a":\n [}'), None, "not JSON", "line 2")

    def test_names_the_place_that_does_not_fit(self):
        self.assert_refused(write({"a": [1, "x"]}), write(SCHEMA), '$["a"][1]', "'x'")


class OutputFileTest(unittest.TestCase):
    def setUp(self):
        self.folder = os.path.realpath(tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR")))

    def path(self, name):
        return os.path.join(self.folder, name)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def plant(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def test_replaces_a_file_when_all_is_written(self):
        self.plant("page", "old and longer")
        file = OutputFile(self.path("page"))
        self.assertEqual(self.read("page"), "old and longer")
        file.write("new")
        self.assertEqual(self.read("page"), "new")
        self.assertEqual(os.listdir(self.folder), ["page"])

    def test_an_error_leaves_the_old_file_and_nothing_else(self):
        self.plant("page", "old")
        with self.assertRaises(UnicodeEncodeError):
            OutputFile(self.path("page")).write("\ud800")
        self.assertEqual(self.read("page"), "old")
        self.assertEqual(os.listdir(self.folder), ["page"])

    def test_follows_links(self):
        self.plant("page", "old")
        os.symlink("page", self.path("link"))
        os.symlink("made", self.path("dangling"))
        for name in ("link", "dangling"):
            OutputFile(self.path(name)).write("new")
            self.assertTrue(os.path.islink(self.path(name)))
        self.assertEqual(self.read("page") + self.read("made"), "newnew")

    def test_writes_through_a_pipe(self):
        os.mkfifo(self.path("pipe"))
        read = []
        reader = threading.Thread(target=lambda: read.append(self.read("pipe")))
        reader.start()
        OutputFile(self.path("pipe")).write("through")
        reader.join()
        self.assertEqual(read, ["through"])
        self.assertEqual(os.listdir(self.folder), ["pipe"])

    def test_continues_standard_output_where_it_is(self):
        code = (
            "from reports.output_file import OutputFile\n"
            "print('before')\nOutputFile({!r}).write('page\\n')\nprint('after')"
        )
        for name in ("-", "/dev/stdout"):
            with open(self.path("out"), "w", encoding="utf-8") as out:
                subprocess.run([sys.executable, "-c", code.format(name)], stdout=out, check=True)
            self.assertEqual(self.read("out"), "before\npage\nafter\n", name)

    def test_a_bad_place_is_refused_before_the_work(self):
        self.plant("file", "x")
        for wrong in ("", "no/such/page", "file/page"):
            with self.assertRaises(OSError) as caught:
                OutputFile(self.path(wrong))
            self.assertIn(self.path(wrong).rstrip("/"), str(caught.exception))

    def test_nothing_is_written_for_no_path(self):
        OutputFile(None).write("x")
        self.assertEqual(os.listdir(self.folder), [])


if __name__ == "__main__":
    xml_unittest.main()
