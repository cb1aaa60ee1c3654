"""Compile commands of what Bazel prints."""

import unittest

from tools import compile_commands, xml_unittest


def action(file, *options):
    words = ["/usr/bin/gcc", *options, "-MD", "-MF", "out/a.d", "-c", file, "-o", "out/a.o"]
    return {"targetId": 1, "mnemonic": "CppCompile", "arguments": words, "discoversInputs": True}


SAMPLE = {
    "actions": [
        action("reference/b.cc", "-iquote", ".", "-isystem", "external/system_fmt/include", "-Wno-restrict"),
        action("reference/a.cc", "-O0", "-fno-canonical-system-headers"),
        action("reference/b.cc", "-O1"),
    ],
    "targets": [{"id": 1, "label": "//reference:a"}],
}


class EntriesTest(unittest.TestCase):
    def setUp(self):
        self.entries = compile_commands.entries(SAMPLE, "/src", "/opt/external")

    def test_each_file_has_one_entry(self):
        self.assertEqual([entry["file"] for entry in self.entries], ["reference/a.cc", "reference/b.cc"])
        self.assertEqual({entry["directory"] for entry in self.entries}, {"/src"})

    def test_options_that_clang_does_not_have_are_left_out(self):
        self.assertEqual(self.entries[0]["arguments"], ["/usr/bin/gcc", "-O0", "-c", "reference/a.cc"])

    def test_other_repositories_are_where_bazel_has_them(self):
        self.assertEqual(
            self.entries[1]["arguments"],
            ["/usr/bin/gcc", "-iquote", ".", "-isystem", "/opt/external/system_fmt/include", "-c", "reference/b.cc"],
        )


if __name__ == "__main__":
    xml_unittest.main()
