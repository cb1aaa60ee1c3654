"""Which case notices that the reference does without a step or an option."""

import dataclasses
import os
import shlex
import sys
import tempfile
import threading

from conformance.less import case_runs, proxy

NOTICED, MISSED, NOT_TRIED = "noticed", "missed", "not tried"
# Most are noticed by one of the first cases, so few are put at first.
AT_A_TIME = (4, 16)
HOLDS = ("passed", "informational", "departed")


@dataclasses.dataclass(frozen=True)
class Finding:
    """What became of one removal."""

    name: str
    result: str
    case: str = ""  # the first that noticed
    level: str = ""
    because: str = ""  # why it was not tried, or not noticed

    def describe(self):
        if self.result == NOTICED:
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
    """Runs cases against the reference without one thing. run: as case_runs.run_cases."""

    def __init__(self, cases, reference, run=case_runs.run_cases):
        self._cases = cases
        self._reference = os.path.abspath(reference)
        self._run = run
        self._whole = {}  # id of a case -> its result by the whole reference
        self._lock = threading.Lock()

    def examine(self, removal):
        """A Finding. Errors: RunFailed."""
        using = [case for case in self._cases.values() if removal.apply(case.program) != case.program]
        judged = [case for case in using if case.is_judged]
        if not using or removal.option and not judged:
            because = "no required or recommended case uses it, or none but with what it is without it"
            return Finding(removal.name, MISSED if removal.option else NOT_TRIED, because=because)
        noticed, outcomes = self._first_to_notice(removal, _in_order(judged or using))
        if noticed and noticed.is_judged:
            return Finding(removal.name, NOTICED, noticed.id, noticed.level)
        if proxy.CARRIED_OUT in outcomes and (removal.option or proxy.SENSELESS not in outcomes):
            return Finding(removal.name, MISSED, because="%d required or recommended cases use it" % len(judged))
        if removal.instead:
            return self.examine(removal.instead)
        # These programs cannot run without it.
        return Finding(removal.name, NOT_TRIED, because="programs are invalid without it")

    def _first_to_notice(self, removal, cases):
        """(The first case that does, or None; what the proxy says of the programs)."""
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "log")
            command = [sys.executable, "-m", "conformance.less.proxy", "--without=" + removal.name, "--log=" + log]
            testee = shlex.join([*command, "--", self._reference])
            for part in _in_parts(cases):
                results = self._run(part, testee)
                for case in part:
                    # Under load the whole reference may miss a deadline too.
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
    return result["verdict"] in HOLDS and result["matches"]


def _read_log(path):
    if not os.path.exists(path):
        return set()
    with open(path, encoding="utf-8") as stream:
        return set(stream.read().splitlines())
