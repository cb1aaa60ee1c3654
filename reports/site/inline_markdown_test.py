"""What becomes of the Markdown in defects.json."""

import unittest

from reports.site import inline_markdown
from tools import xml_unittest

ISSUES = "https://github.com/a/b/issues/"


class InlineMarkdownTest(unittest.TestCase):
    def check(self, text, wanted):
        self.assertEqual(str(inline_markdown.render(text)), wanted)

    def test_code_and_links(self):
        self.check(
            "`x<y` of [a guide](https://e.org/a)", '<code>x&lt;y</code> of <a href="https://e.org/a">a guide</a>'
        )

    def test_issues_have_addresses_also_without_their_repository(self):
        self.check("a/b#1, #2", f'<a href="{ISSUES}1">a/b#1</a>, <a href="{ISSUES}2">#2</a>')

    def test_a_number_of_no_repository_stays(self):
        self.check("like #3", "like #3")

    def test_all_else_is_text(self):
        self.check("<b>*a* [x](javascript:alert(1))", "&lt;b&gt;*a* [x](javascript:alert(1))")
        self.check('[x](https://e.org/"onclick=) `"`', '<a href="https://e.org/&#34;onclick=">x</a> <code>&#34;</code>')


if __name__ == "__main__":
    xml_unittest.main()
