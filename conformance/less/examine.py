"""Which case notices that the reference lacks a step or an option."""

import dataclasses
import os
import shlex
import sys
import tempfile
import threading

from conformance.less import case_runs, proxy

NOTICED, TOLD, MISSED, NOT_TRIED = "noticed", "told", "missed", "not tried"
# Most are noticed by one of the first cases, so few are put at first.
AT_A_TIME = (4, 16)
HOLDS = ("passed", "told", "departed")


@dataclasses.dataclass(frozen=True)
class Finding:
    """What became of one removal."""

    name: str
    result: str
    case: str = ""  # the first that noticed
    level: str = ""
    because: str = ""  # why it was not tried, or not noticed

    def describe(self):
        if self.result in (NOTICED, TOLD):
            return "%s: %s by %s (%s)" % (self.name, self.result, self.case, self.level)
        return "%s: %s, %s" % (self.name, self.result, self.because)


def _in_parts(cases):
    for size in AT_A_TIME:
        if cases:
            yield cases[:size]
        cases = cases[size:]
    if cases:
        yield cases


def _in_order(cases):
    """Required ones first, and those that start several workers last: they take longest."""
    return sorted(cases, key=lambda case: (case.has_workers, case.level != "required"))


class Examiner:
    """Puts cases to the reference less something. run: as case_runs.run_cases."""

    def __init__(self, cases, reference, run=case_runs.run_cases):
        self._cases = cases
        self._reference = os.path.abspath(reference)
        self._run = run
        self._whole = {}  # id of a case -> its result by the whole reference
        self._lock = threading.Lock()

    def examine(self, removal):
        """A Finding. Errors: RunFailed."""
        using = [case for case in self._cases.values() if removal.apply(case.program) != case.program]
        if not using:
            because = "no case uses it, or none but with what it is without it"
            return Finding(removal.name, MISSED if removal.option else NOT_TRIED, because=because)
        for result, is_judged in ((NOTICED, True), (TOLD, False)):
            cases = _in_order([case for case in using if case.is_judged == is_judged])
            noticed, outcomes = self._first_to_notice(removal, cases)
            if noticed:
                return Finding(removal.name, result, noticed.id, noticed.level)
            if proxy.SENSELESS in outcomes and not removal.option:
                # Who lacks it cannot do these programs at all.
                break
            if proxy.CARRIED_OUT in outcomes:
                # A requirement that holds without it is none of it, whatever else is told.
                level = "required or recommended" if is_judged else "told"
                return Finding(removal.name, MISSED, because="%d %s cases use it" % (len(cases), level))
        if removal.instead:
            return self.examine(removal.instead)
        return Finding(removal.name, NOT_TRIED, because="programs make no sense without it")

    def _first_to_notice(self, removal, cases):
        """(The first case that does, or None; what the proxy says of the programs)."""
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "log")
            command = [sys.executable, "-m", "conformance.less.proxy", "--without=" + removal.name, "--log=" + log]
            testee = shlex.join([*command, "--", self._reference])
            for part in _in_parts(cases):
                results = self._run(part, testee)
                for case in part:
                    # Under load the whole reference may miss a deadline too, and a few told cases do not hold at all.
                    if not _holds(results[case.id]) and _holds(self._by_whole_reference(case)):
                        return case, _read_log(log)
            return None, _read_log(log)

    def _by_whole_reference(self, case):
        with self._lock:
            known = self._whole.get(case.id)
        if known is None:
            known = self._run([case], self._reference)[case.id]
            with self._lock:
                self._whole[case.id] = known
        return known


def _holds(result):
    return result["verdict"] in HOLDS and result["as_stated"]


def _read_log(path):
    if not os.path.exists(path):
        return set()
    with open(path, encoding="utf-8") as stream:
        return set(stream.read().splitlines())
