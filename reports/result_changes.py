"""Brings two results of one implementation together: what changed from OLD to NEW."""

import collections
import re

from reports import case_change, case_status, conformance_result
from reports.conformance_result import LEVELS
from reports.json_file import ReportError

FORMAT = 1  # of to_json; docs/formats.md

# Of `testee` and `options`; the folder of the cases says nothing: they are compared.
_TESTEE = ("name", "implementation", "language", "devices", "declared_conventions")
_OPTIONS = ("filter", "levels", "areas", "shard", "enforce", "repeat", "deadline_s")

Setting = collections.namedtuple("Setting", "name old new")
Rewritten = collections.namedtuple("Rewritten", "old new fields")


class ResultChanges:
    """Compares two results (conformance_result.load).

    enforced: the levels that have to hold, `required` among them
    regressions, better, other: [case_change.Change]; in order of levels, then of ids
    rewritten: cases that ask something else in NEW: their verdicts are not compared
    added, gone: cases that one of the two does not have, though it asked for such
    not_asked_in_old, not_asked_in_new: those that its options left out
    settings: what differs in what was run, and how; same: how many cases nothing is said of
    Errors: ReportError where one of the runs was interrupted.
    """

    def __init__(self, old, new, enforced=()):
        _check_complete(old, "OLD")
        _check_complete(new, "NEW")
        self.old, self.new = old, new
        self.enforced = [name for name in LEVELS if name in ("required", *enforced)]
        self.settings = list(settings(old, new))
        self.regressions, self.better, self.other, self.rewritten = [], [], [], []
        self.same = 0
        self._olds, self._news = map(conformance_result.cases_by_id, (old, new))
        for case_id in sorted(self._olds.keys() & self._news.keys()):
            self._compare(self._olds[case_id], self._news[case_id])
        for changes in (self.regressions, self.better, self.other):
            changes.sort(key=lambda change: LEVELS.index(change.level))
        self.added, self.not_asked_in_old = _absent(self._news, self._olds, old["options"])
        self.gone, self.not_asked_in_new = _absent(self._olds, self._news, new["options"])

    def _compare(self, old, new):
        fields = conformance_result.rewritten_fields(old, new)
        if fields:
            self.rewritten.append(Rewritten(old, new, fields))
            return
        change = case_change.find(old, new, self.enforced)
        if change is None:
            self.same += 1
            return
        {"regression": self.regressions, "better": self.better, "other": self.other}[change.kind].append(change)

    def is_without_changes(self):
        return not (self.regressions or self.better or self.other or self.rewritten or self.added or self.gone)

    def to_json(self):
        return {
            "format": FORMAT,
            "regressed": bool(self.regressions),
            "enforced": self.enforced,
            "old": _identity(self.old),
            "new": _identity(self.new),
            "settings": [setting._asdict() for setting in self.settings],
            **{
                name: [change_json(change) for change in getattr(self, name)]
                for name in ("regressions", "better", "other")
            },
            "rewritten": [_rewritten_json(entry) for entry in self.rewritten],
            **{
                name: [_case_json(case) for case in getattr(self, name)]
                for name in ("added", "gone", "not_asked_in_old", "not_asked_in_new")
            },
            "same": self.same,
        }


def _check_complete(result, name):
    if not result["complete"]:
        raise ReportError(
            f"[compare] {name} is of a run that was interrupted after"
            f" {len(result['cases'])} cases: wanted one that ran to its end"
        )


def _absent(cases, others, options):
    """(those that the other run asked for and did not have, those it left out)."""
    absent = [case for case_id, case in cases.items() if case_id not in others]
    return ([case for case in absent if _asks(options, case)], [case for case in absent if not _asks(options, case)])


def _asks(options, case):
    """Whether a run with these options includes the case; shards are not considered."""
    area = case["id"].split("/")[0]
    return (
        _matches(options["filter"], case["id"])
        and case["level"] in (options.get("levels") or LEVELS)
        and area in (options.get("areas") or [area])
        and options.get("shard", "1/1").endswith("/1")
    )


def _matches(pattern, case_id):
    """As the runner's --filter: * and ? also stand for a slash."""
    parts = re.split(r"([*?])", pattern)
    words = {"*": ".*", "?": "."}
    return re.fullmatch("".join(words.get(p, re.escape(p)) for p in parts), case_id)


def settings(old, new):
    """The Setting of each thing that differs in what two results were run on, and how."""
    # Older results do not say it.
    suites = old.get("suite"), new.get("suite")
    if all(suites) and suites[0] != suites[1]:
        yield Setting("suite", *suites)
    for part, names in (("testee", _TESTEE), ("options", _OPTIONS)):
        for name in names:
            values = old[part].get(name), new[part].get(name)
            if (values[0] or None) != (values[1] or None):
                label = "testee" if name == "name" else name
                yield Setting(label, *values)
    was, now = old["testee"]["conventions"], new["testee"]["conventions"]
    for name in sorted(was.keys() | now.keys()):
        if was.get(name) != now.get(name):
            yield Setting(f"convention {name}", was.get(name), now.get(name))
    was, now = set(old["testee"]["steps"]), set(new["testee"]["steps"])
    if was != now:
        yield Setting("steps that only one can do", sorted(was - now), sorted(now - was))


def _identity(result):
    return {
        "testee": result["testee"]["name"],
        "implementation": result["testee"]["implementation"],
        "started": result["started"],
        "headline": result["headline"],
    }


def _case_json(case):
    return {"id": case["id"], "level": case["level"], "status": case_status.of_case(case).id}


def _pair_json(entry):
    return {
        "id": entry.new["id"],
        "level": entry.new["level"],
        "old": case_status.of_case(entry.old).id,
        "new": case_status.of_case(entry.new).id,
    }


def _rewritten_json(entry):
    return {**_pair_json(entry), "fields": entry.fields}


def change_json(change):
    """A case_change.Change for programs; docs/formats.md has its fields."""
    return {
        **_pair_json(change),
        "changed_level": change.level,
        "way": change.way,
        "differences": [d._asdict() for d in change.differences],
    }
