"""Fails where an empty line follows a comment in a C++ header, which reads as that of the next declaration.

    ./bazelw run //tools:check_comments

prints one line a problem:
    reference/kernels/pooling/pool2d.h:17: a comment above an empty line: move it to what it describes
The comment in front of a header's guard is the file's, and a line `// --- Sources` heads a group.
"""

import re
import sys

from tools import source_tree

COMMENT = re.compile(r"\s*//(?! ---| IWYU)")


def check_lines(path, lines):
    guard = next((number for number, line in enumerate(lines, 1) if line.startswith("#define")), 0)
    return [
        f"{path}:{number}: a comment above an empty line: move it to what it describes"
        for number, (line, following) in enumerate(zip(lines, lines[1:], strict=False), 1)
        if number > guard and COMMENT.match(line) and not following.strip()
    ]


def check(root):
    problems = []
    for path in source_tree.list_files(root, (".h",)):
        problems += check_lines(path, source_tree.read_lines(root, path))
    return problems


if __name__ == "__main__":
    sys.exit(source_tree.run(check))
