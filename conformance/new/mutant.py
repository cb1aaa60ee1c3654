"""A planted bug: a file of conformance/mutants/planted, in the folder of the source that it changes."""

import os
import re

from conformance.mutants import mutant
from conformance.new.contribution import Refused
from tools.placeholder import fill

NAME = "FOLDER/NAME"
PATH = re.compile("([a-z0-9_]+/)+[a-z][a-z0-9_]*")
CHECK = "./bazelw test //conformance/mutants:mutants_test"


def add_arguments(parser):
    del parser  # it has none of its own


def write(contribution, name, options):
    """`name` is the source below reference/ without its .cc, a slash, and what the bug does: losses/loss/lost."""
    del options
    if not PATH.fullmatch(name):
        raise Refused("a mutant is called by its source and what it does, losses/loss/sum_is_lost, got %s" % name)
    path = "%s/%s.json" % (mutant.FOLDER, name)
    contribution.refuse_existing(path)
    source = mutant.compiled_source(path)
    if not contribution.exists(source):
        raise Refused("there is no source %s; for a header name a source that includes it" % source)
    bug = os.path.basename(name)
    contribution.write_json(
        path,
        {
            "name": bug,
            "file": source,
            "find": fill("code that occurs in the file once"),
            "replace": fill("what replaces it"),
            "states": fill("what is wrong then, in one sentence: 'One is lost.'"),
            "killed_by": [fill("ids of cases that notice it, the plainest first, one of level required")],
        },
    )
    contribution.fill_in(path, CHECK)
    contribution.then("The checks look at what git tracks.", "git add " + path)
    contribution.then(
        "The cases that it names notice it. One that survives is a case that is missing.",
        "./bazelw run //conformance/mutants:run -- --only=" + bug,
    )
