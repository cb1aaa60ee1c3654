"""The change of a case between two runs. This file alone defines a regression."""

import collections

from reports import case_status, page
from reports.conformance_result import LEVELS

RULES = """\
A regression is a case that is unchanged between the runs, and where
  - an expectation that has to hold held in OLD and does not hold in NEW;
  - or all that has to hold held in OLD, and in NEW something else that has to
    hold does not, or the case is unsupported;
  - or the testee answered in OLD, and in NEW timed out, crashed or gave no
    message: whatever the case's level;
  - or, where something of it has to hold, repetitions agree in OLD and differ
    in NEW.
Expectations of the required level and of the levels of --enforce have to hold.
So a case that fails in both runs is a regression if more of it fails in NEW. Not
a regression: a case that is new, gone, rewritten or was not run, what is only
reported, and a step that was unsupported and now fails. Better is the reverse."""

_SILENT = ("timed_out", "crashed", "protocol_error")
_NO_ANSWER = ("unsupported", *_SILENT)
_LONGEST = 100  # of what is shown of one value or message

# kind: "regression", "better", or "other"; way: "worse", "better" or "otherwise";
# level: of what changed; old, new: the cases; differences: [Difference], empty where
# only the verdict is another
Change = collections.namedtuple("Change", "kind way level old new differences")
# given: of the run; observation: its name, None where it is about the whole answer;
# old, new: what was observed; text: the difference, on one line
Difference = collections.namedtuple("Difference", "given observation old new text")


def find(old, new, enforced):
    """The Change between two results of an unchanged case; None for none.

    enforced: the levels that have to hold.
    """
    pairs = _pair_runs(old, new)
    ways = {level: way for level in LEVELS if (way := _way(level, pairs))}
    differences = [d for pair in pairs for d in _differences(new["expect"], *pair)]
    differences += _flickering(old, new)
    moved = case_status.of_case(old) != case_status.of_case(new)
    if not (ways or differences or moved):
        return None
    kind = _kind(old, new, ways, pairs, enforced)
    way = {"regression": "worse", "better": "better"}.get(kind, next(iter(ways.values()), "otherwise"))
    level = next((name for name in ways if ways[name] == way), old["level"])
    return Change(kind, way, level, old, new, differences)


def _kind(old, new, ways, pairs, enforced):
    counted = [ways[level] for level in enforced if level in ways]
    has_to_hold = any(finding["level"] in enforced for pair in pairs for run in pair for finding in run["findings"])
    if (
        "worse" in counted
        or any(_fell_silent(*pair) for pair in pairs)
        or (has_to_hold and new["flickers"] and not old["flickers"])
    ):
        return "regression"
    if (
        counted
        or any(_fell_silent(b, a) for a, b in pairs)
        or (has_to_hold and old["flickers"] and not new["flickers"])
    ):
        return "better"
    return "other"


def _pair_runs(old, new):
    theirs = {page.as_json(run["given"]): run for run in new["runs"]}
    return [(run, theirs[page.as_json(run["given"])]) for run in old["runs"]]


def _fell_silent(before, after):
    return before["verdict"] not in _SILENT and after["verdict"] in _SILENT


def _way(level, pairs):
    """The change at a level: worse where any expectation was lost, whatever else was gained."""
    if any(_lost(level, old, new) for old, new in pairs):
        return "worse"
    return "better" if any(_lost(level, new, old) for old, new in pairs) else None


def _lost(level, before, after):
    held, holds = _holding(before, level), _holding(after, level)
    if any(held[index] and not holds[index] for index in held.keys() & holds.keys()):
        return True
    # Under other conventions other expectations apply.
    whole = bool(held) and all(held.values())
    return whole and (after["verdict"] in _NO_ANSWER or not all(holds.values()))


def _holding(run, level):
    return {finding["expectation"]: finding["holds"] for finding in run["findings"] if finding["level"] == level}


def _differences(expect, old, new):
    """Of one run. Values that match in both are the same, within tolerance."""
    if _stated(old) and _stated(old) == _stated(new):
        return
    was, now = _no_answer(old), _no_answer(new)
    if was or now:
        if was != now:
            text = f"was: {_said(old)}; now: {_said(new)}"
            yield Difference(old["given"], None, was, now, text)
        return
    before = {finding["expectation"]: finding for finding in old["findings"]}
    seen = set()
    for finding in new["findings"]:
        name = expect[finding["expectation"]].get("observation")
        earlier = before.get(finding["expectation"])  # none: under other conventions
        if name in seen or (earlier and earlier["holds"] and finding["holds"]):
            continue
        was, now = (run["observations"].get(name) for run in (old, new))
        text = _text(name, first_difference(was, now), earlier, finding)
        if text:
            seen.add(name)
            yield Difference(new["given"], name, was, now, text)


def _stated(run):
    """The expectations of a run that all hold; empty for any other."""
    if not all(finding["holds"] for finding in run["findings"]):
        return []
    return [finding["expectation"] for finding in run["findings"]]


def _text(name, difference, earlier, finding):
    if difference:
        place, was, now = difference
        return (
            f"{name}{' at ' + place if place else ''}: was {_short(page.as_json(was))}, is {_short(page.as_json(now))}"
        )
    # The same was observed, and what is expected of it is not, or what it has to equal.
    if (earlier["holds"] if earlier else True) == finding["holds"]:
        return None
    why = finding.get("difference") or (earlier or {}).get("difference") or "it did not hold, and holds now"
    return f"{name or 'error'}: {_short(why)}"


def _no_answer(run):
    """What came instead of observations, without what varies between runs; or None."""
    if "error" in run:
        return {"error": {k: run["error"][k] for k in ("class", "at_step")}}
    for kind, what in (("unsupported", "step"), ("crashed", "by"), ("protocol_error", "what")):
        if kind in run:
            return {kind: run[kind][what]}
    return {"timed_out": True} if "timed_out" in run else None


def _said(run):
    if "observations" in run:
        return _short(", ".join(f"{name} {page.as_json(value)}" for name, value in run["observations"].items()))
    if "error" in run:
        error = run["error"]
        return _short(f"{error['class']} in {error['at_step']}" + (f": {error['message']}" if error["message"] else ""))
    if "unsupported" in run:
        step, reason = run["unsupported"]["step"], run["unsupported"]["reason"]
        return _short(": ".join(filter(None, (f"no {step}" if step else "", reason))) or "unsupported")
    if "timed_out" in run:
        return f"no answer within {run['timed_out']['deadline_s']:g} s"
    if "crashed" in run:
        return f"died: {run['crashed']['by']}"
    return _short(f"no message: {run['protocol_error']['what']}")


def _flickering(old, new):
    if old["flickers"] == new["flickers"]:
        return []
    text = "repetitions differ now" if new["flickers"] else "repetitions differed, and agree now"
    return [Difference(new["given"], None, old["flickers"], new["flickers"], text)]


def first_difference(old, new, place=""):
    """(place, old, new) where two JSON values differ first; None where nowhere.

    >>> first_difference([[2, 2], [1, 1]], [[2, 2], [2, 0]])
    ('[1][0]', 1, 2)
    """
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        parts = [(f"{place}[{i}]", *pair) for i, pair in enumerate(zip(old, new))]
    elif isinstance(old, dict) and isinstance(new, dict) and old.keys() == new.keys():
        parts = [(f"{place}[{page.as_json(k)}]", old[k], new[k]) for k in old]
    else:
        is_same = old == new and isinstance(old, bool) == isinstance(new, bool)
        return None if is_same else (place, old, new)
    found = (first_difference(a, b, where) for where, a, b in parts)
    return next((difference for difference in found if difference), None)


def _short(text):
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
