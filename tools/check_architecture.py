"""Fails where docs/architecture.md names a file, or something in a file, that is not there.

    ./bazelw run //tools:check_architecture

A file stands in the document as `folder/name.cc`, with its path; a name (`DistributeDataset`,
`Strategy::Run`) has to stand, word by word, in the file that the document names last before it. What is
neither, `--help` or a line of code, is not looked at.
"""
import os
import re
import sys

from tools import source_tree

DOCUMENT = 'docs/architecture.md'
SPAN = re.compile(r'`([^`\n]+)`')
FILE = re.compile(r'[\w./-]+/[\w.-]+\.\w+')
FOLDER = re.compile(r'[\w./-]+/')
NAME = re.compile(r'[A-Z]\w*(?:::~?\w+)*')


def check_span(root, span, file):
    """What is wrong with a name or path; '' where nothing is."""
    place = os.path.join(root, span)
    if FILE.fullmatch(span):
        return '' if os.path.isfile(place) else 'there is no %s' % span
    if FOLDER.fullmatch(span):
        return '' if os.path.isdir(place) else 'there is no %s' % span
    if not NAME.fullmatch(span):
        return ''
    if file is None:
        return '%s stands before any file' % span
    words = set(re.findall(r'\w+', '\n'.join(source_tree.read_lines(root, file))))
    missing = [word for word in re.findall(r'\w+', span) if word not in words]
    return '%s has no %s' % (file, ', '.join(missing)) if missing else ''


def check(root):
    problems, file = [], None
    for number, line in enumerate(source_tree.read_lines(root, DOCUMENT), 1):
        for span in SPAN.findall(line):
            problem = check_span(root, span, file)
            if problem:
                problems.append('%s:%d: %s' % (DOCUMENT, number, problem))
            elif FILE.fullmatch(span):
                file = span
    return problems


if __name__ == '__main__':
    sys.exit(source_tree.run(check))
