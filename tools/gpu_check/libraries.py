"""Which shared libraries of a program travel with it to another machine.

found = libraries.of_program('bazel-bin/benchmarks/scaling')
libraries.to_bring(found)      # {'libfmt.so.9': '/lib/x86_64-linux-gnu/libfmt.so.9', ...}
"""

import os
import re
import subprocess

# The C library is the machine's own: an older program runs on a newer one.
OF_THE_SYSTEM = re.compile(r"(ld-linux-x86-64|libc|libm|libdl|librt|libpthread|libresolv|libutil)\.so")
# Hundreds of megabytes, and there already beside the driver or in PyTorch's wheels.
OF_CUDA = re.compile(r"lib(cu|nv|nccl)\w*\.so")

_LINE = re.compile(r"\s*(\S+) => (\S+|not found)(?: \(0x[0-9a-f]+\))?$")


class MissingLibrary(Exception):
    """A program that does not start here; the text names library and program."""


def parse(text, program):
    """Name -> path of what `ldd` printed. Raises MissingLibrary."""
    found = {}
    for line in text.splitlines():
        match = _LINE.match(line)
        if not match:
            continue
        name, path = match.groups()
        if not path.startswith("/") and not OF_CUDA.match(name):
            raise MissingLibrary("[gpu_check] %s needs %s, which is not on this machine" % (program, name))
        found[os.path.basename(name)] = path
    return found


def of_program(path):
    """Name -> path of the libraries that a program loads at its start."""
    listing = subprocess.run(["ldd", path], check=True, stdout=subprocess.PIPE, text=True)
    return parse(listing.stdout, path)


def to_bring(found):
    """Those that another machine may not have."""
    return {name: path for name, path in found.items() if not OF_THE_SYSTEM.match(name) and not OF_CUDA.match(name)}


def of_cuda(found):
    """Names of those that the other machine must have."""
    return sorted(name for name in found if OF_CUDA.match(name))
