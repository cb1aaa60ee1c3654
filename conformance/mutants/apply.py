"""Writes a copy of a source file with a mutant's bug in it.

    apply.py MUTANT.json OUTPUT.cc SOURCE.cc [HEADER.h]

A header with a bug is put before the source: the include of the header has no effect after it.
"""

import sys

from conformance.mutants import mutant


def read(path):
    with open(path, encoding="utf-8") as stream:
        return stream.read()


def main(mutant_path, output, source, header=None):
    planted = mutant.load(mutant_path)
    if planted.file == mutant.compiled_source(mutant_path):
        text = planted.apply(read(source))
    else:
        text = planted.apply(read(header)) + read(source)
    with open(output, "w", encoding="utf-8") as stream:
        stream.write(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
