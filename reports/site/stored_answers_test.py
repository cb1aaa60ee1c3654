"""The site of the stored answers, as the command makes it: complete, small enough, and with no dead link."""

import contextlib
import io
import os
import tempfile
import unittest

from reports.site import links_testing, make_site, site_folder
from tools import xml_unittest

# A page opens at once, and the folder goes to a server in one piece.
MOST_FILES, MOST_BYTES, MOST_BYTES_OF_A_PAGE = 400, 64 << 20, 4 << 20


def read_all(folder):
    paths = [os.path.join(at, name) for at, _, names in os.walk(folder) for name in names]
    found = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            found[os.path.relpath(path, folder)] = file.read()
    return found


class StoredAnswersTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = os.path.join(tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR")), "site")
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            cls.status = make_site.main([f"--output={cls.folder}"])
        cls.said = out.getvalue()
        cls.files = read_all(cls.folder)

    def test_the_command_says_what_it_wrote(self):
        self.assertEqual(self.status, 0)
        self.assertRegex(self.said, rf"^wrote \d+ files, \d+\.\d MB: {self.folder}/index\.html\n$")

    def test_every_link_leads_somewhere(self):
        self.assertEqual(links_testing.dead(self.files), [])

    def test_every_case_and_answer_has_a_place(self):
        table = self.files["cases.html"]
        self.assertGreater(table.count('class="row"'), 1000)
        self.assertEqual(table.count('class="cell"'), 10 * table.count('class="row"'))

    def test_it_is_small_enough(self):
        sizes = {path: len(text.encode()) for path, text in self.files.items()}
        self.assertLess(len(sizes), MOST_FILES)
        self.assertLess(sum(sizes.values()), MOST_BYTES)
        self.assertLess(max(sizes.values()), MOST_BYTES_OF_A_PAGE, max(sizes, key=sizes.get))

    def test_it_is_marked_as_a_site(self):
        self.assertIn(site_folder.MARK, self.files)


class CommandTest(unittest.TestCase):
    def test_what_is_no_result_is_refused(self):
        folder = tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))
        with open(os.path.join(folder, "a.json"), "w", encoding="utf-8") as file:
            file.write("{}")
        complaint = io.StringIO()
        with contextlib.redirect_stderr(complaint):
            status = make_site.main([os.path.join(folder, "a.json"), f"--output={folder}/site"])
        self.assertEqual(status, 1)
        self.assertIn("no result of `./bazelw run //conformance:run -- --json=FILE`", complaint.getvalue())
        self.assertEqual(os.listdir(folder), ["a.json"])


if __name__ == "__main__":
    xml_unittest.main()
