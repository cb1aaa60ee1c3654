"""Writes a copy of a source file with a mutant's bug in it.

    apply.py MUTANT.json SOURCE OUTPUT
"""
import sys

from conformance.mutants import mutant


def main(mutant_path, source, output):
    planted = mutant.load(mutant_path)
    with open(source, encoding='utf-8') as stream:
        text = planted.apply(stream.read())
    with open(output, 'w', encoding='utf-8') as stream:
        stream.write(text)


if __name__ == '__main__':
    main(*sys.argv[1:])
