"""Prints how large the house is: files, folders, lines and test programs.

    ./bazelw run //tools:print_sizes

    C++ files of reference/ without tests      318
      lines: median, 9 of 10, longest          121  238  391
      of them under 45 lines                    31
    sources in the fullest folder               25  reference/base
    folders with over 25 sources                 0
    C++ test programs                          108
      lines: median, 9 of 10, longest          276  430  588
    Python test programs                        40
"""
import statistics
import sys

from tools import check_lengths
from tools import source_tree

CC = ('.cc', '.h', '.cu', '.cuh')
SHORT = 45


def lengths(root, paths):
    """The files' numbers of lines, ascending."""
    return sorted(len(source_tree.read_lines(root, path)) - 1 for path in paths)


def spread(numbers):
    """(median, ninth of ten, most) of ascending numbers; zeros where there are none."""
    if not numbers:
        return 0, 0, 0
    return round(statistics.median(numbers)), numbers[len(numbers) * 9 // 10], numbers[-1]


def measure(root):
    """[(what, figures)] in the order in which they are printed."""
    own = [path for path in source_tree.list_files(root, CC)
           if path.startswith('reference/') and not check_lengths.is_test(path)]
    own_lengths = lengths(root, own)
    folders = check_lengths.sources_by_folder(root)
    fullest = min(folders, key=lambda folder: (-folders[folder], folder), default='')
    tests = [path for path in source_tree.list_files(root, ('.cc',)) if check_lengths.is_test(path)]
    python_tests = [path for path in source_tree.list_files(root, ('.py',)) if check_lengths.is_test(path)]
    crowded = sum(count > check_lengths.MOST_SOURCES for count in folders.values())
    return [
        ('C++ files of reference/ without tests', (len(own),)),
        ('  lines: median, 9 of 10, longest', spread(own_lengths)),
        ('  of them under %d lines' % SHORT, (sum(n < SHORT for n in own_lengths),)),
        ('sources in the fullest folder', (folders[fullest], fullest)),
        ('folders with over %d sources' % check_lengths.MOST_SOURCES, (crowded,)),
        ('C++ test programs', (len(tests),)),
        ('  lines: median, 9 of 10, longest', spread(lengths(root, tests))),
        ('Python test programs', (len(python_tests),)),
    ]


def main():
    for what, figures in measure(source_tree.find_root()):
        print('%-40s %s' % (what, ' '.join('%5s' % figure for figure in figures)))


if __name__ == '__main__':
    sys.exit(main())
