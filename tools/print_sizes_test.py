"""The figures that print_sizes prints, of a planted tree."""

from tools import print_sizes, source_tree, xml_unittest


class PrintSizesTest(source_tree.PlantedTree):
    def test_an_empty_tree_has_zeros(self):
        self.assertEqual(
            [figures for _, figures in print_sizes.measure(self.root)],
            [(0,), (0, 0, 0), (0,), (0,), (0, ""), (0,), (0,), (0,), (0, 0, 0), (0,)],
        )

    def test_counts_sources_apart_from_tests(self):
        self.plant("reference/a/x.cc", "\n" * 44)
        self.plant("reference/a/x.h", "\n" * 45)
        self.plant("reference/a/x_test.cc", "\n" * 7)
        self.plant("tools/y.py")
        self.plant("tools/y_test.py")
        self.assertEqual(
            [figures for _, figures in print_sizes.measure(self.root)],
            [(2,), (44, 45, 45), (1,), (0,), (2, "reference/a"), (0,), (0,), (1,), (7, 7, 7), (1,)],
        )

    def test_counts_what_only_tests_use_apart(self):
        self.plant("reference/a/x.cc")
        self.plant("reference/a/fake.h")
        self.plant("reference/a/fake.cc")
        self.plant(
            "reference/a/BUILD",
            'cc_library(name = "x", srcs = ["x.cc"], testonly = False)\n'
            '[cc_library(name = n, testonly = True, srcs = ["fake.cc"], hdrs = ["fake.h"]) for n in "f"]\n',
        )
        figures = dict(print_sizes.measure(self.root))
        self.assertEqual(figures["C++ files of reference/ without tests"], (1,))
        self.assertEqual(figures["C++ files of reference/ that only tests use"], (2,))

    def test_counts_programs_however_many_files_they_have(self):
        self.plant("a/x_test.cc")
        self.plant("a/y_test.cc")
        self.plant(
            "a/BUILD",
            'cc_test(name = "x_test", srcs = ["x_test.cc", "y_test.cc"], deps = [":x"])\n'
            'gpu_test(name = "y_test", srcs = ["y_test.cc"])\n'
            'py_test(name = "z_test", srcs = ["z_test.py"])\n'
            'cc_library(name = "killed_test", srcs = ["killed_test.cc"])\n',
        )
        figures = dict(print_sizes.measure(self.root))
        self.assertEqual(figures["C++ test programs"], (2,))
        self.assertEqual(figures["C++ files of tests"], (2,))

    def test_sees_crowded_folders(self):
        for number in range(26):
            self.plant("b/%d.cc" % number)
        self.assertIn(("folders with over 25 sources", (1,)), print_sizes.measure(self.root))


if __name__ == "__main__":
    xml_unittest.main()
