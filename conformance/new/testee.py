"""A testee: a folder of conformance/testees, its entry in testees.json and its line in conformance/testees/BUILD.

It has one process; with --ranks, for a library on PyTorch, one per replica. docs/testees.md says what the kit does.
"""

import re

from conformance.new.contribution import Refused
from tools.placeholder import fill

NAME = "NAME"
FOLDER = "conformance/testees"
TABLE = "conformance/testees.json"
SOURCES = re.compile(r'(name = "framework_sources",\n    srcs = \[\n)(.*?)(    \],)', re.DOTALL)


def add_arguments(parser):
    parser.add_argument("--ranks", action="store_true", help="a library on PyTorch: one process per replica")


def write(contribution, name, options):
    if not re.fullmatch("[a-z][a-z0-9_]*", name):
        raise Refused("a testee has a name in lower snake case, got %s" % name)
    folder = "%s/%s" % (FOLDER, name)
    contribution.refuse_existing(folder)
    class_name = "".join(word.capitalize() for word in name.split("_"))
    program, build = folder + "/testee.py", folder + "/BUILD"
    contribution.write_template(
        program, "ranks.py.txt" if options.ranks else "one_process.py.txt", name=name, class_name=class_name
    )
    contribution.write_template(build, "BUILD.txt")
    contribution.write_json(TABLE, with_entry(contribution.read_json(TABLE), name, options.ranks))
    contribution.write(FOLDER + "/BUILD", with_line(contribution.read(FOLDER + "/BUILD"), name))
    contribution.fill_in(program, "./bazelw run //tools:check_words")
    contribution.fill_in(build, "./bazelw run //tools:check_words")
    contribution.fill_in(TABLE, "./bazelw run //tools/check_cases:check_deviations")
    contribution.then("The checks look at what git tracks.", "git add " + folder)
    contribution.then(
        "Its packages, pinned, in third_party/frameworks/requirements.txt, where they are not there yet.",
        "python3 third_party/frameworks/make_venv.py",
    )
    contribution.then("Its messages follow the protocol.", "./bazelw run //conformance:run -- --probe --testee=" + name)
    contribution.then(
        "What it does differently, with reasons: --update begins the list, and none is an empty one.",
        "./bazelw run //conformance:run -- --testee=%s --area=equivalence" % name,
    )
    contribution.then(
        "The list, once written, is checked and formatted.",
        "git add conformance/deviations/%s.json && ./bazelw run //tools/check_cases -- --fix" % name,
    )
    contribution.then("Its answers are kept.", "./bazelw run //conformance:ask -- " + name)


def with_entry(document, name, ranks):
    if name in [testee["name"] for testee in document["testees"]]:
        raise Refused("%s has a testee %s already" % (TABLE, name))
    document["testees"].append(
        {
            "name": name,
            "means": fill("which framework that is, and by what of it programs run"),
            "command": ["{python}", "-m", "conformance.testees.%s.testee" % name],
            "family": "pytorch" if ranks else fill("the framework that it computes with, or its own name"),
            "packages": [fill("those whose versions its answers depend on")] + ["torch"] * ranks,
        }
    )
    return document


def with_line(text, name):
    """conformance/testees/BUILD with the new sources in their place."""

    def insert(match):
        lines = match.group(2).splitlines(keepends=True) + ['        "//%s/%s:sources",\n' % (FOLDER, name)]
        return match.group(1) + "".join(sorted(lines, key=lambda line: re.split('[:"]', line)[1:3])) + match.group(3)

    changed, count = SOURCES.subn(insert, text)
    if count != 1:
        raise Refused("%s/BUILD has no filegroup framework_sources with a list of srcs" % FOLDER)
    return changed
