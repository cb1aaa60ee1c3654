import re
import unittest

from tools import prose


class ProseTest(unittest.TestCase):
    def words(self, text):
        return re.findall(f"[^{prose.NO_WORD}\\s]+", text)

    def of_python(self, text):
        return self.words(prose.of_python(text))

    def of_cpp(self, text):
        return self.words(prose.of_cpp(text))

    def test_markdown_is_read_without_code_and_links(self):
        self.assertEqual(self.words(prose.of_markdown("`anew` see [here](anew.md#anew)\n")), ["see", "[here"])
        self.assertEqual(
            self.words(prose.of_markdown("https://example.org/anew\n```\nanew\n```\n    anew\nend\n")), ["end"]
        )

    def test_headings_are_prose_unless_they_are_kept(self):
        self.assertIn("One", prose.of_markdown("## One"))
        self.assertNotIn("One", prose.of_markdown("## One", keep_headings=True))

    def test_lines_keep_their_numbers(self):
        for prose_of, text in (
            (prose.of_markdown, "a\n\n```\nb\n```\n"),
            (prose.of_python, '"""A\n\nb c."""\nx = (\n    1\n)\n# d\n'),
            (prose.of_cpp, '// a\n\nint b(\n) { R"(c\nd)"; }\n'),
        ):
            self.assertEqual(prose_of(text).count("\n"), text.count("\n"), text)

    def test_comments_and_texts_of_python(self):
        self.assertEqual(self.of_python('told = 1  # one two\nf("three four")\n'), ["one", "two", "three", "four"])
        self.assertEqual(self.of_python('"""A\n\nb."""\n'), ["A", "b."])

    def test_a_text_of_one_word_is_a_key(self):
        self.assertEqual(self.of_python('x["told"]\n'), [])
        self.assertEqual(self.of_cpp('x["told"];\n'), [])

    def test_what_a_text_prints_is_code(self):
        self.assertNotIn("told", prose.of_python('f"it is {told}"\n'))
        self.assertNotIn("told", prose.of_python("# see `told`\n"))

    def test_a_phrase_continues_in_the_next_comment(self):
        self.assertIn("one two", " ".join(prose.of_python("# one\n# two\n").split()))
        self.assertIn("one two", " ".join(prose.of_cpp("  // one\n  // two\n").split()))
        self.assertNotIn("one two", " ".join(prose.of_cpp("// one\nint x;\n// two\n").split()))

    def test_comments_and_texts_of_cpp(self):
        self.assertEqual(self.of_cpp('int told;  // one two\nf("three four");\n'), ["one", "two", "three", "four"])
        self.assertEqual(self.of_cpp('R"x(one "two" )" three)x";\n'), ['R"x(one', '"two"', ')"', "three)x"])

    def test_slashes_in_a_text_begin_no_comment(self):
        self.assertEqual(self.of_cpp('f("http://told");\n'), [])

    def test_quotes_of_a_character_begin_no_text(self):
        self.assertEqual(self.of_cpp("f('\"', told, '\\'', '\"');\n"), [])
        self.assertEqual(self.of_cpp("f(1'000, told, 2'000);  // one\n"), ["one"])
