"""What keeps text from becoming markup."""

import os
import tempfile
import unittest

from reports import page
from tools import xml_unittest


class MarkdownTest(unittest.TestCase):
    def test_text_is_no_markup(self):
        self.assertEqual(
            page.markdown_text("a*b <c> [d] `e` |f| \\g ~h & i"), r"a\*b \<c\> \[d\] \`e\` \|f\| \\g \~h \& i"
        )
        self.assertEqual(page.markdown_text("some_name of\n  _two_ lines"), r"some_name of \_two\_ lines")

    def test_code_stays_in_its_cell(self):
        self.assertEqual(page.code_cell("a|b  c\nd"), r"`a\|b c d`")
        self.assertEqual(page.code_cell("a`b"), "`` a`b ``")
        self.assertEqual(page.code_cell("``"), "``` `` ```")

    def test_a_block_cannot_be_closed_by_its_text(self):
        self.assertEqual(page.code_block("a `b`", "sh"), "```sh\na `b`\n```")
        self.assertEqual(page.code_block("```\na"), "````\n```\na\n````")


class HtmlTest(unittest.TestCase):
    def test_a_name_breaks_after_slashes_and_stays_text(self):
        self.assertEqual(page.breakable("a/<b>/c"), "a/<wbr>&lt;b&gt;/<wbr>c")


class RenderTest(unittest.TestCase):
    def test_a_template_elsewhere_extends_those_of_all_reports(self):
        path = os.path.join(tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR")), "own.html.j2")
        with open(path, "w", encoding="utf-8") as file:
            file.write('{% extends "base.html.j2" %}{% block main %}{{ text }}{% endblock %}')
        text = page.render(path, text="<own>")
        self.assertIn("<title>Lockstep: </title>", text)
        self.assertIn("&lt;own&gt;", text)


if __name__ == "__main__":
    xml_unittest.main()
