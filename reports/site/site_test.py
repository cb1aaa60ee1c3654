"""The site of small content: every link leads somewhere, and no name becomes markup."""

import os
import tempfile
import unittest
import xml.etree.ElementTree

from reports.conformance_result_testing import case, result
from reports.html_testing import Page
from reports.json_file import ReportError
from reports.site import addresses, build, links_testing, site_folder
from reports.site.site_testing import BAD, TAG, content
from tools import xml_unittest

SCRIPTS = {addresses.FILTER_SCRIPT, addresses.ANSWERS_SCRIPT}


class SiteTest(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.files = build.build(content())

    def test_every_link_leads_to_a_file_and_a_place(self):
        self.assertEqual(links_testing.dead(self.files), [])

    def test_a_dead_link_is_found(self):
        files = {"a/b.html": '<a href="../c.html#d">', "c.html": '<p id="e">', "a/f.html": '<img src="g.svg">'}
        self.assertEqual(links_testing.dead(files), ["a/b.html: ../c.html#d", "a/f.html: g.svg"])

    def test_pages_are_well_formed_and_ids_unique(self):
        for path, text in self.files.items():
            if path.endswith(".html"):
                page = Page(text)
                self.assertEqual((path, page.problems), (path, []))
                # Plots of one page name their parts the same.
                ids = [] if path == addresses.PERFORMANCE else page.ids
                self.assertEqual(len(ids), len(set(ids)), path)

    def test_nothing_is_loaded_from_elsewhere(self):
        for path, text in self.files.items():
            if path.endswith(".html"):
                self.assertEqual([a for a in Page(text).fetched if a.startswith(("http", "//"))], [], path)
            self.assertNotIn("@import", text, path)
            self.assertNotIn("url(http", text, path)

    def test_every_page_forbids_scripts_within_it(self):
        for path, text in self.files.items():
            if path.endswith(".html"):
                [policy] = Page(text).all("meta", **{"http-equiv": "Content-Security-Policy"})
                self.assertIn("default-src 'none'", policy["content"])
                self.assertIn("script-src 'self';", policy["content"])

    def test_a_topic_can_be_chosen_in_the_filter(self):
        options = [attributes.get("value") for attributes in Page(self.files["cases.html"]).all("option")]
        self.assertLessEqual({"input", "input/rebatch", "broken", "otherwise", "frame"}, set(options))

    def test_the_promise_comes_first_and_its_numbers_lead_to_their_cases(self):
        page = Page(self.files["index.html"])
        tables = page.all("table")
        self.assertEqual(tables[0]["class"], "summary promise")
        self.assertIn("cases.html#column=frame&status=broken&tier=intents&level=required", page.links)

    def test_the_reference_is_last_in_the_promise_table(self):
        text = Page(self.files["index.html"]).text
        self.assertLess(text.index("Frame 1.2"), text.index("Lockstep 2"))

    def test_a_case_s_page_has_its_program_and_every_answer(self):
        page = Page(self.files["cases/input/rebatch.html"])
        for claim in ("kept", "read", "split"):
            self.assertEqual({claim, f"{claim}@reference", f"{claim}@frame"} - set(page.ids), set())
        self.assertIn("n = dataset.range(stop=6)", page.text)
        self.assertIn("at [1][0]: expected 1, observed 2", page.text)

    def test_a_defect_names_the_answers_that_show_it(self):
        links = Page(self.files["defects.html"]).links
        self.assertIn("cases/input/rebatch.html#kept@frame", links)
        self.assertIn("https://github.com/a/b/issues/2", links)

    def test_a_case_that_was_renamed_has_no_link(self):
        page = Page(self.files["versions.html"])
        self.assertIn("input/rebatch/renamed", page.text)
        self.assertEqual([link for link in page.links if "renamed" in link], [])

    def test_a_badge_is_an_svg_of_its_own(self):
        root = xml.etree.ElementTree.fromstring(self.files["badges/frame.svg"])
        self.assertEqual(
            root.get("aria-label"), "Frame 1.2: N replicas train as one: 0 of 2 kept, 1 broken, 1 unsupported"
        )

    def test_two_names_of_one_address_are_refused(self):
        made = [result(name, "A 1", [case("kept")]) for name in ("a b", "a+b")]
        with self.assertRaisesRegex(ReportError, "'a b': another testee's pages have the same name, a-b"):
            content(made=made)


class MarkupTest(unittest.TestCase):
    """Names with markup in them."""

    @classmethod
    def setUpClass(cls):
        cls.files = build.build(content(BAD))

    def test_no_name_becomes_a_tag(self):
        for path, text in self.files.items():
            self.assertNotIn(TAG, text, path)
            self.assertNotIn("<img src=x", text, path)

    def test_it_is_shown_as_text(self):
        for path in ("index.html", "cases.html", "cases/input/rebatch.html", "defects.html", "performance.html"):
            self.assertIn(BAD, Page(self.files[path]).text, path)

    def test_no_page_has_a_script_or_handler_of_a_name(self):
        for path, text in self.files.items():
            if path.endswith(".html"):
                page = Page(text)
                sources = {os.path.basename(attributes.get("src", "")) for attributes in page.all("script")}
                self.assertLessEqual(sources, SCRIPTS, path)
                self.assertEqual([a for _, found in page.tags for a in found if a.startswith("on")], [], path)
                self.assertEqual([link for link in page.links if link.startswith("javascript:")], [], path)

    def test_links_and_files_stay_within_the_folder(self):
        self.assertEqual(links_testing.dead(self.files), [])
        for path in self.files:
            self.assertRegex(path, r"^[A-Za-z0-9_./-]+$")
            self.assertNotIn("..", path.split("/"))

    def test_a_badge_stays_well_formed(self):
        [badge] = [self.files[path] for path in self.files if path.startswith("badges/frame-")]
        self.assertIn(TAG, xml.etree.ElementTree.fromstring(badge).get("aria-label"))


class FolderTest(unittest.TestCase):
    def setUp(self):
        self.place = os.path.join(tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR")), "site")

    def test_a_site_replaces_an_older_one_whole(self):
        site_folder.write({"index.html": "old", "gone.html": ""}, self.place)
        site_folder.write({"index.html": "new", "a/b.html": ""}, self.place)
        self.assertEqual(sorted(os.listdir(self.place)), [site_folder.MARK, "a", "index.html"])
        self.assertEqual(os.listdir(os.path.dirname(self.place)), ["site"])

    def test_a_folder_of_something_else_is_left_alone(self):
        os.mkdir(self.place)
        with open(os.path.join(self.place, "thesis.tex"), "w", encoding="utf-8"):
            pass
        with self.assertRaisesRegex(ReportError, "has other files than a site's"):
            site_folder.write({"index.html": ""}, self.place)
        self.assertEqual(os.listdir(self.place), ["thesis.tex"])

    def test_a_failure_leaves_the_older_one(self):
        site_folder.write({"index.html": "old"}, self.place)
        with self.assertRaises(OSError):
            site_folder.write({"index.html": "new", "index.html/b": ""}, self.place)
        with open(os.path.join(self.place, "index.html"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "old")
        self.assertEqual(os.listdir(os.path.dirname(self.place)), ["site"])

    def test_a_file_is_no_folder(self):
        with open(self.place, "w", encoding="utf-8"):
            pass
        with self.assertRaisesRegex(ReportError, "is no folder"):
            site_folder.write({"index.html": ""}, self.place)


if __name__ == "__main__":
    xml_unittest.main()
