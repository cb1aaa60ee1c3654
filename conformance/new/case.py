"""A conformance case: an entry of conformance/cases/<area>/<topic>.json, and nothing else.

With --holds its level and its citation are those of a statement.
"""

import re

from conformance.new.contribution import Refused
from tools.check_cases import check_cases, option_pairs
from tools.placeholder import fill

NAME = "AREA/TOPIC/CLAIM"
ID = re.compile("[a-z][a-z0-9_]*/[a-z][a-z0-9_]*/[a-z][a-z0-9_]*")
CHECK = "./bazelw run //tools/check_cases"
STATEMENTS = "conformance/statements.json"
TOPIC = "what the cases of this file are about, in %d to %d characters" % (
    check_cases.SHORTEST["topic"],
    check_cases.LONGEST["topic"],
)
OBSERVED = "observed"
FIRST_STEPS = [
    {"let": "given", "step": fill("a step of conformance/operations.md or intents.md, and its arguments")},
    {"observe": OBSERVED, "step": fill("the step whose value shows it")},
]


def add_arguments(parser):
    parser.add_argument(
        "--holds",
        metavar="STATEMENT",
        default=[],
        action="append",
        help="id of a statement in %s that is false where the case fails" % STATEMENTS,
    )


def write(contribution, name, options):
    add(contribution, name, options.holds, FIRST_STEPS)


def add(contribution, case_id, holds, program):
    """Adds the case with this beginning of a program, and what is left to do of it."""
    check_id(case_id)
    area, topic, _ = case_id.split("/")
    path = "conformance/cases/%s/%s.json" % (area, topic)
    if path == option_pairs.PATH:
        raise Refused("%s is generated: add an option to tools/check_cases/option_pairs.py" % path)
    is_new = not contribution.exists(path)
    document = {"topic": fill(TOPIC), "cases": []} if is_new else contribution.read_json(path)
    if case_id in [case["id"] for case in document["cases"]]:
        raise Refused("%s has a case %s already" % (path, case_id))
    document["cases"].append(case_of(case_id, statements(contribution, holds), program))
    contribution.write_json(path, document)
    contribution.fill_in(path, CHECK)
    list_rest(contribution, area, topic, case_id, is_new)


def check_id(case_id):
    if not ID.fullmatch(case_id):
        raise Refused("a case is called AREA/TOPIC/CLAIM in lower snake case, got %s" % case_id)
    area, _, claim = case_id.split("/")
    if area not in check_cases.AREAS:
        raise Refused("there is no area %s, wanted one of %s" % (area, ", ".join(sorted(check_cases.AREAS))))
    if len(claim) > check_cases.LONGEST_CLAIM:
        raise Refused("a claim has at most %d characters, got %d" % (check_cases.LONGEST_CLAIM, len(claim)))


def statements(contribution, ids):
    known = {statement["id"]: statement for statement in contribution.read_json(STATEMENTS)["statements"]}
    for one in ids:
        if one not in known:
            raise Refused("%s has no statement %s" % (STATEMENTS, one))
    return [known[one] for one in ids]


def case_of(case_id, held, program):
    cites = [{"source": one["source"], "anchor": one["anchor"]} for one in held]
    levels = {one["level"] for one in held}
    return {
        "id": case_id,
        "level": levels.pop() if len(levels) == 1 else fill("the level: " + ", ".join(check_cases.CITED_KINDS)),
        "states": fill("what is so, in one sentence: 'The last global batch is split.'"),
        "cites": [cite for place, cite in enumerate(cites) if cite not in cites[:place]]
        or [{"source": fill("an id of sources.json"), "anchor": fill("one of its anchors")}],
        "holds": [one["id"] for one in held] or [fill("ids of %s; none: delete the line" % STATEMENTS)],
        "given": {"strategy": fill("the strategy: mirrored, multi_worker_mirrored or default"), "replicas": 2},
        "program": program,
        "expect": [{"observation": OBSERVED, "equals": fill("the value, by the document or by hand, not by a run")}],
    }


def list_rest(contribution, area, topic, case_id, is_new):
    if is_new:
        contribution.then("The checks look at what git tracks.", "git add conformance/cases/%s/%s.json" % (area, topic))
    contribution.then(
        "The files are in their form, and statements that it holds are known.",
        "%s -- --fix && ./bazelw test //tools/check_cases/..." % CHECK,
    )
    contribution.then(
        "The reference passes. Change the expected value, and see it fail.",
        "./bazelw test //conformance:%s_%s_test --test_filter='*%s'" % (area, topic, case_id),
    )
    if is_new:
        contribution.then(
            "A new topic has a planted bug that its cases notice: ./bazelw run //conformance:new -- mutant",
            "./bazelw test //conformance/mutants:mutants_test",
        )
    contribution.then(
        "Nothing passes it for nothing, each expectation counts, and rows that do not divide are asked for.",
        "./bazelw test //conformance:every_case_can_fail_test //conformance/testees/miniatures/... "
        "//conformance/testees/reference:uneven_batches_test",
    )
