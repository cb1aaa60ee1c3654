"""Placeholders in files, with their lines."""

from tools import placeholder, source_tree, xml_unittest


class PlaceholderTest(source_tree.PlantedTree):
    def test_ends_where_its_text_does(self):
        text = "\n".join(
            [
                '{"name": "%s", "of": "%s"}' % (placeholder.fill("its name"), placeholder.fill("whose")),
                "| of | name | %s |" % placeholder.fill("what that is"),
                'raise Unsupported(f"%s")' % placeholder.fill("a pass over {loader} of 'train'"),
                "Gives: " + placeholder.fill("what; or nothing."),
            ]
        )
        self.assertEqual(
            placeholder.find(text),
            [
                (1, "its name"),
                (1, "whose"),
                (2, "what that is"),
                (3, "a pass over {loader} of 'train'"),
                (4, "what; or nothing."),
            ],
        )

    def test_problems_name_file_and_line(self):
        self.plant("a.md", "# A\n")
        self.plant("b.md", "# B\n\n%s\n" % placeholder.fill("why"))
        self.assertEqual(placeholder.problems(self.root, ["a.md", "b.md"]), ["b.md:3: not filled in: why"])


if __name__ == "__main__":
    xml_unittest.main()
