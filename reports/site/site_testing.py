"""Small content for the tests of the site: few cases, and names that are markup."""

import copy

from conformance.versions import known_bugs
from reports import command, porting_guide
from reports.catalogue import Catalogue
from reports.conformance_result_testing import case, deviation, result
from reports.matrix_table import MatrixTable
from reports.performance import report, result_testing
from reports.site.content import Content

# What no page may have as it is here: a tag, and what would leave an attribute in quotes.
TAG = "<script>alert(1)</script>"
QUOTES = "\"'><img src=x onerror=alert(2)>"
BAD = TAG + QUOTES
DEFECT = "conformance/defects/keras/keras_mean_of_means.py"


def results(bad=""):
    """Of a reference and a framework, on the same cases; `bad` is in everything that has free text."""
    reason = f"It averages means {bad}."
    broken = case("kept", "failed", deviation=deviation(reason=reason, references=[f"a/b#1 {bad}"], script=DEFECT))
    errored = case("read", "errored", tier="calls")
    errored["runs"][0]["error"] = {"class": "Internal", "message": f"no {bad}", "at_step": "dataset.range"}
    missing = case("split", "unsupported")
    missing["runs"][0]["unsupported"]["reason"] = f"no batches {bad}"
    found = [
        result("reference", "Lockstep", [case("kept"), case("read"), case("split")]),
        result(f"frame{bad}", f"Frame{bad} 1.2{bad}", [broken, errored, missing]),
    ]
    for entry in (entry for one in found for entry in one["cases"]):
        entry["topic"] += bad
        entry["states"] += bad
        entry["tier"] = "calls" if entry["id"].endswith("read") else "intents"
        entry["cites"][0]["url"] = f"https://example.org/{bad}"
        entry["given"] = {"strategy": f"mirrored{bad}", "replicas": 2}
    found[1]["testee"]["language"] = f"python{bad}"
    found[1]["testee"]["devices"] = [f"CPU{bad}"]
    return found


def content(bad="", made=None):
    """The Content of `made`, else of results(bad), with a defect, a bug, versions, a statement and an entry."""
    return Content(
        table=MatrixTable(made or results(bad)),
        catalogue=_catalogue(bad),
        conventions=porting_guide.load_conventions(),
        found={"frame": _found(bad)},
        bugs=[known_bugs.Bug("frame", f"It sums {bad}", ("a/b#1",), ("1.0",), ("1.1",), ("input/rebatch/kept",), bad)],
        defects=[_defect("open", f"`a` mean {bad} of a/b#2"), _defect("past", bad, "other.py")],
        performance=_performance(bad),
    )


def _catalogue(bad):
    catalogue = copy.copy(Catalogue(command.conformance_path()))
    first = catalogue.statements[0]
    catalogue.statements = [{**first, "states": first["states"] + bad}, *catalogue.statements[1:]]
    return catalogue


def _found(bad):
    def version(number):
        return {
            "version": number,
            "day": "2026-01-02",
            "installed": [f"frame=={number}", f"beside{bad}==1"],
            "variables": {"A": bad},
            "required": [1, 2],
            "verdicts": {"passed": 1, "failed": 1},
        }

    verdicts = {"1.0": "failed", "1.1": "passed"}
    changed = [
        {"id": f"input/rebatch/{claim}", "level": "required", "verdicts": verdicts} for claim in ("kept", "renamed")
    ]
    return {"framework": "frame", "cases": 3, "versions": [version("1.0"), version("1.1")], "changed": changed}


def _defect(state, shows, script=DEFECT.removeprefix("conformance/defects/")):
    return {"script": script, "framework": "keras", "state": state, "shows": shows, "source": f"print(1)  # {shows}\n"}


def _performance(bad):
    ours = result_testing.rounds(result_testing.training, (400.0, 410.0))
    theirs = result_testing.rounds(
        lambda **of: result_testing.peer_training("p", **of), (100.0, 101.0), program=f"p{bad}"
    )
    return report.build(result_testing.load(result_testing.result(*ours, *theirs, cpu_model=f"CPU {bad}")))
