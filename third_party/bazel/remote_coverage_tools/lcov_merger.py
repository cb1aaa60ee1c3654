#!/usr/bin/python3
"""Merges coverage into one lcov file, for `bazel coverage` without downloads.

Called by Bazel after each test (--coverage_dir: gcov's JSON and other lcov
files) and once at the end (--reports_file: a list of lcov files).
"""

import argparse
import collections
import glob
import gzip
import json
import os
import re


def parse_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--coverage_dir")
    parser.add_argument("--reports_file")
    parser.add_argument("--output_file", required=True)
    parser.add_argument("--filter_sources", action="append", default=[])
    return parser.parse_known_args()[0]


def inputs(arguments):
    if arguments.reports_file:
        with open(arguments.reports_file) as lines:
            return [line.strip() for line in lines if line.strip()]
    root = os.path.join(arguments.coverage_dir, "**")
    return [
        path
        for path in glob.glob(root, recursive=True)
        if path.endswith((".gcov.json.gz", ".dat")) and os.path.abspath(path) != os.path.abspath(arguments.output_file)
    ]


def add_gcov(path, hits):
    with gzip.open(path) as stream:
        for source in json.load(stream)["files"]:
            for line in source["lines"]:
                hits[source["file"]][line["line_number"]] += line["count"]


def add_lcov(path, hits):
    source = None
    with open(path) as lines:
        for line in lines:
            if line.startswith("SF:"):
                source = line[3:].strip()
            elif line.startswith("DA:"):
                number, count = line[3:].split(",")[:2]
                hits[source][int(number)] += int(count)


def write(hits, filters, output):
    for source in sorted(hits):
        if any(re.fullmatch(pattern, source) for pattern in filters):
            continue
        lines = hits[source]
        output.write("SF:%s\n" % source)
        for number in sorted(lines):
            output.write("DA:%d,%d\n" % (number, lines[number]))
        output.write("LH:%d\nLF:%d\nend_of_record\n" % (sum(count > 0 for count in lines.values()), len(lines)))


def main():
    arguments = parse_arguments()
    hits = collections.defaultdict(collections.Counter)
    for path in inputs(arguments):
        if os.path.exists(path):
            (add_gcov if path.endswith(".gz") else add_lcov)(path, hits)
    with open(arguments.output_file, "w") as output:
        write(hits, arguments.filter_sources, output)


if __name__ == "__main__":
    main()
