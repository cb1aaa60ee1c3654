"""Fails where the host writes into a tensor that it made wherever the thread computes, which may be a GPU.

    ./bazelw run //tools:check_host_tensors

Uninitialised memory is for code that writes it: Tensor::Empty names a device, or it is
EmptyOnHost. The same holds for Tensor::Zeros and Tensor::Full in a file that writes through a tensor's
address; elsewhere they may leave the device to the thread, since they are filled where they lie.
"""

import re
import sys

from tools import source_tree

ALWAYS, WITH_WRITES = ("Empty",), ("Empty", "Zeros", "Full")
WRITES = re.compile(r"\bmutable_(?:raw_)?data\b")
NAMES_A_DEVICE = 3  # arguments
COMMENT = re.compile(r"//.*")
# Where the default stands, and where what it means is said.
OF_TENSORS = ("reference/tensor/tensor.h", "reference/tensor/tensor.cc")


def count_arguments(text, start):
    """Of a call whose first argument begins at `start`."""
    depth, count = 1, 1
    for character in text[start:]:
        depth += (character in "([{") - (character in ")]}")
        count += character == "," and depth == 1
        if depth == 0:
            break
    return count


def check_text(path, text):
    code = COMMENT.sub("", text)
    names = WITH_WRITES if WRITES.search(code) else ALWAYS
    return [
        "%s:%d: Tensor::%s names no device: CurrentHost() where the host writes it (see host_tensor.h)"
        % (path, code.count("\n", 0, call.start()) + 1, call.group(1))
        for call in re.finditer(r"\bTensor::(%s)(?:<[\w:]+>)?\(" % "|".join(names), code)
        if count_arguments(code, call.end()) < NAMES_A_DEVICE
    ]


def check(root):
    problems = []
    for path in source_tree.list_files(root, (".h", ".cc")):
        if path not in OF_TENSORS and not path.endswith("_test.cc"):
            problems += check_text(path, "\n".join(source_tree.read_lines(root, path)))
    return problems


if __name__ == "__main__":
    sys.exit(source_tree.run(check))
