"""A deviation: an entry in the list of an implementation, and the smallest script that shows it.

The script is in conformance/defects, in the folder of its framework, and defects.json says what it shows.
"""

import re

from conformance.new import testee
from conformance.new.contribution import Refused
from tools.placeholder import fill

NAME = "IMPLEMENTATION"
FOLDER = "conformance/defects"
TABLE = FOLDER + "/defects.json"
CHECK = "./bazelw run //tools/check_cases:check_deviations"


def add_arguments(parser):
    parser.add_argument("script", metavar="NAME", help="the script's, without .py: keras_clip_of_each_replica")
    parser.add_argument("cases", metavar="CASE", nargs="*", help="ids of the cases that the deviation fails")


def write(contribution, name, options):
    if not re.fullmatch("[a-z][a-z0-9_]*", options.script):
        raise Refused("a script has a name in lower snake case, got %s" % options.script)
    path = list_of(contribution, name)
    framework = framework_of(contribution, name)
    script = "%s/%s.py" % (framework, options.script)
    contribution.refuse_existing("%s/%s" % (FOLDER, script))
    cases = sorted(options.cases) or [fill("ids, or patterns with *, in order; the entries are in order of theirs")]
    contribution.write_json(path, with_entry(contribution.read_json(path), "%s/%s" % (FOLDER, script), cases))
    contribution.write_json(TABLE, with_script(contribution.read_json(TABLE), script, framework))
    contribution.write_template("%s/%s" % (FOLDER, script), "defect.py.txt")
    contribution.fill_in(path, CHECK)
    contribution.fill_in(TABLE, CHECK)
    contribution.fill_in("%s/%s" % (FOLDER, script), "./bazelw run //tools:check_words")
    contribution.then("The checks look at what git tracks.", "git add %s/%s" % (FOLDER, script))
    contribution.then(
        "The script shows it: what it observed is not what is expected.",
        "$(python3 third_party/frameworks/make_venv.py) %s/%s" % (FOLDER, script),
    )
    contribution.then(
        "The page of all scripts is made of defects.json.",
        "./bazelw run //conformance/defects:readme && ./bazelw test //conformance/defects/...",
    )
    contribution.then(
        "The list says all that the implementation does differently, and nothing else: of its cases first "
        "(--filter=ID, of entries for those alone), then of all, which takes minutes.",
        "./bazelw run //conformance:run -- --testee=%s" % name,
    )


def list_of(contribution, name):
    """The path of the testee's list."""
    known = {one["name"]: one for one in contribution.read_json(testee.TABLE)["testees"]}
    if name not in known:
        raise Refused("%s has no testee %s, wanted one of %s" % (testee.TABLE, name, ", ".join(known)))
    path = "conformance/deviations/%s.json" % known[name].get("deviations", name)
    if not contribution.exists(path):
        raise Refused("there is no %s: ./bazelw run //conformance:run -- --testee=%s --update begins it" % (path, name))
    return path


def framework_of(contribution, name):
    """The folder of scripts whose name the testee's begins with: pytorch of pytorch_ddp."""
    folders = {entry["framework"] for entry in contribution.read_json(TABLE)}
    found = [folder for folder in folders if (name + "_").startswith(folder + "_")]
    return max(found, key=len, default=name)


def with_entry(document, script, cases):
    document["deviations"].append(
        {
            "kind": fill("defect, by_design or document_unclear"),
            "reason": fill("what it does differently, and why, in a sentence"),
            "references": [fill("what says so in public; none: an empty list")],
            "script": script,
            "cases": cases,
        }
    )
    document["deviations"].sort(key=lambda entry: entry["cases"])
    return document


def with_script(document, script, framework):
    entry = {
        "script": script,
        "framework": framework,
        "state": fill("open; or by_design, and then `document` in place of `report`"),
        "shows": fill("what N replicas, or a restart, do otherwise"),
        "report": fill("public issues; none: an empty text"),
    }
    return sorted([*document, entry], key=lambda one: one["script"])
