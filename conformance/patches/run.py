"""Puts bugs into the frameworks, one at a time, and says whether the cases that should notice do.

    ./bazelw run //conformance/patches:run
    ./bazelw run //conformance/patches:run -- --testee=jax --only='*seed*' --markdown=patches.md

A patch is noticed where a case that it names, which holds without it (by conformance/answers), fails with it.
One that no case notices is hidden: the testee does the framework's work, or a case is missing. It takes the frameworks'
environment (3.7 GB) and, for all of them, some twenty minutes.
Exit status: 0 every patch is noticed by all that it names; 1 not; 2 it could not run.
"""

import argparse
import dataclasses
import fnmatch
import json
import os
import sys
import tempfile

from command_line import version_option
from command_line.user_paths import write_reports
from conformance.less.case_runs import load_cases, write_files
from conformance.mutants.case_results import RunFailed, results_of
from conformance.patches import patch
from tools.check_cases import case_files

# A framework's first answer waits for what it compiles.
DEADLINE_S = 60
KEPT = ("passed", "warned", "departed")
BROKEN = ("failed", "errored", "timed_out", "crashed")


@dataclasses.dataclass(frozen=True)
class Finding:
    """What became of a patch: of each of its cases the verdict without it and with it."""

    patch: patch.Patch
    before: dict
    after: dict
    error: str = ""  # why it could not be tried

    @property
    def noticed_by(self):
        return [case for case in self.patch.cases if self._notices(case)]

    @property
    def not_by(self):
        return [case for case in self.patch.cases if not self._notices(case)]

    def _notices(self, case):
        before, after = self.before.get(case), self.after.get(case)
        return before in KEPT and (after in BROKEN or (before, after) == ("passed", "warned"))

    def describe(self):
        """For the terminal."""
        if self.error:
            return f"{self.patch.testee}/{self.patch.name}: not tried: {self.error}"
        if not self.noticed_by:
            result = "hidden"
        else:
            result = f"noticed by {len(self.noticed_by)} of {len(self.patch.cases)}"
        verdicts_of_others = [f"{case} {self.before.get(case)}, then {self.after.get(case)}" for case in self.not_by]
        return f"{self.patch.testee}/{self.patch.name}: {result}" + "".join(
            f"\n    {line}" for line in verdicts_of_others
        )


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(
        prog="patches:run", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    version_option.add(parser)
    parser.add_argument("--testee", action="append", metavar="NAME", help="of conformance/patches/planted [all]")
    parser.add_argument("--only", default="*", metavar="NAME", help="patches, with * and ?")
    parser.add_argument("--json", metavar="FILE", help="write what was found here")
    parser.add_argument("--markdown", metavar="FILE", help="write it here as a table")
    return parser.parse_args(arguments)


def verdicts(testee, *arguments):
    """Case id -> its verdict. Errors: RunFailed."""
    return {case["id"]: case["verdict"] for case in results_of(testee, DEADLINE_S, *arguments)}


def verdicts_of(testee, chosen):
    """The same of these cases. Errors: RunFailed."""
    with tempfile.TemporaryDirectory() as folder:
        write_files(chosen, folder)
        return verdicts(testee, "--cases=" + os.path.join(folder, case_files.FOLDER))


def stored_verdicts(testee, chosen, cases):
    """Case id -> the verdict by its stored answer; of one without by asking now. Errors: RunFailed."""
    stored = verdicts(testee, "--judge")
    missing = {case for planted in chosen for case in planted.cases if case not in stored}
    return stored | (verdicts_of(testee, [cases[case] for case in sorted(missing)]) if missing else {})


def examine(planted, before, cases):
    """The Finding of a patch; one that the framework has no place for any more is not tried."""
    command = f"{{python}} -m conformance.patches.apply {planted.testee}/{planted.name}"
    command += f" conformance.testees.{planted.testee}.testee"
    chosen = {case: before.get(case) for case in planted.cases}
    try:
        return Finding(planted, chosen, verdicts_of(command, [cases[case] for case in planted.cases]))
    except RunFailed as error:
        return Finding(planted, chosen, {}, str(error).strip().rsplit("\n", 1)[-1])


def examine_all(options):
    """A Finding for each patch that the options choose, printed when it is there. Errors: RunFailed, PatchError."""
    cases, findings = load_cases("."), []
    for testee in options.testee or patch.testees("."):
        chosen = [one for one in patch.load(testee) if fnmatch.fnmatch(one.name, options.only)]
        before = stored_verdicts(testee, chosen, cases) if chosen else {}
        for planted in chosen:
            findings.append(examine(planted, before, cases))
            print(findings[-1].describe(), flush=True)
    return findings


def summary(findings):
    noticed = sum(bool(one.noticed_by) for one in findings)
    return f"{noticed} of {len(findings)} patches are noticed"


def to_json(findings):
    return {
        "format": 1,
        "summary": summary(findings),
        "patches": [
            {
                "testee": one.patch.testee,
                "name": one.patch.name,
                "states": one.patch.states,
                "version": one.patch.version,
                "noticed_by": one.noticed_by,
                "not_by": one.not_by,
                "error": one.error,
            }
            for one in findings
        ],
    }


def to_markdown(findings):
    lines = ["# Bugs put into frameworks", "", summary(findings) + ".", ""]
    lines += ["| testee | patch | what it breaks | noticed by |", "|---|---|---|---|"]
    lines += [
        f"| {one.patch.testee} | {one.patch.name} | {one.patch.states} | {_noticed_by(one)} |" for one in findings
    ]
    return "\n".join(lines) + "\n"


def _noticed_by(finding):
    return "not tried" if finding.error else ", ".join(finding.noticed_by) or "hidden"


def main(arguments):
    options = parse_arguments(arguments)
    try:
        findings = examine_all(options)
        write_reports(
            (options.json, lambda: json.dumps(to_json(findings), indent=2) + "\n"),
            (options.markdown, lambda: to_markdown(findings)),
        )
    except (RunFailed, patch.PatchError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    print(summary(findings))
    return 0 if findings and not any(one.not_by for one in findings) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
