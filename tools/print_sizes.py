"""Prints the size of the tree: files, folders, lines and test programs.

./bazelw run //tools:print_sizes

C++ files of reference/ without tests           325
  lines: median, 9 of 10, longest               101   238   339
  of them under 45 lines                         35
C++ files of reference/ that only tests use      55
sources in the fullest folder                    24 benchmarks/peers
folders with over 25 sources                      0
C++ test programs                               108
C++ files of tests                              127
  lines: median, 9 of 10, longest               260   440   500
Python test programs                             41
"""

import ast
import os
import statistics
import sys

from tools import check_lengths, source_tree

CC = (".cc", ".h", ".cu", ".cuh")
SHORT = 45


def lengths(root, paths):
    """The files' numbers of lines, ascending."""
    return sorted(len(source_tree.read_lines(root, path)) - 1 for path in paths)


def spread(numbers):
    """(median, ninth of ten, most) of ascending numbers; zeros where there are none."""
    if not numbers:
        return 0, 0, 0
    return round(statistics.median(numbers)), numbers[len(numbers) * 9 // 10], numbers[-1]


def targets(root):
    """(folder, call) of every call in a BUILD file, which reads as Python."""
    for path in source_tree.list_files(root, ("BUILD",)):
        for call in ast.walk(ast.parse("\n".join(source_tree.read_lines(root, path)))):
            if isinstance(call, ast.Call):
                yield os.path.dirname(path), call


def sources_of(folder, call):
    """The C++ files that the call names."""
    return {
        os.path.join(folder, text.value)
        for text in ast.walk(call)
        if isinstance(text, ast.Constant) and str(text.value).endswith(CC)
    }


def only_for_tests(root):
    """The files of all targets with testonly = True."""
    return set().union(
        *(
            sources_of(folder, call)
            for folder, call in targets(root)
            if any(word.arg == "testonly" and ast.unparse(word.value) == "True" for word in call.keywords)
        )
    )


def count_programs(root):
    """How many C++ test programs are linked: targets of cc_test, gpu_test and cc_fuzz_test."""
    return sum(
        ast.unparse(call.func).endswith("_test") and bool(sources_of(folder, call)) for folder, call in targets(root)
    )


def measure(root):
    """[(what, figures)] in the order in which they are printed."""
    sources = [
        path
        for path in source_tree.list_files(root, CC)
        if path.startswith("reference/") and not check_lengths.is_test(path)
    ]
    support = only_for_tests(root)
    own = [path for path in sources if path not in support]
    own_lengths = lengths(root, own)
    folders = check_lengths.sources_by_folder(root)
    fullest = min(folders, key=lambda folder: (-folders[folder], folder), default="")
    tests = [path for path in source_tree.list_files(root, (".cc",)) if check_lengths.is_test(path)]
    python_tests = [path for path in source_tree.list_files(root, (".py",)) if check_lengths.is_test(path)]
    crowded = sum(count > check_lengths.MOST_SOURCES for count in folders.values())
    return [
        ("C++ files of reference/ without tests", (len(own),)),
        ("  lines: median, 9 of 10, longest", spread(own_lengths)),
        ("  of them under %d lines" % SHORT, (sum(n < SHORT for n in own_lengths),)),
        ("C++ files of reference/ that only tests use", (len(sources) - len(own),)),
        ("sources in the fullest folder", (folders[fullest], fullest)),
        ("folders with over %d sources" % check_lengths.MOST_SOURCES, (crowded,)),
        ("C++ test programs", (count_programs(root),)),
        ("C++ files of tests", (len(tests),)),
        ("  lines: median, 9 of 10, longest", spread(lengths(root, tests))),
        ("Python test programs", (len(python_tests),)),
    ]


def main():
    for what, figures in measure(source_tree.find_root()):
        print("%-44s %s" % (what, " ".join("%5s" % figure for figure in figures)))


if __name__ == "__main__":
    sys.exit(main())
