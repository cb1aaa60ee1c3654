"""What a job says at its end, and its exit status."""

import collections
import dataclasses


@dataclasses.dataclass(frozen=True)
class Verdict:
    exit_status: int
    text: str  # one line

    def __str__(self):
        return f"{'FAILED' if self.exit_status else 'OK'}: {self.text}"


def of(result, changes, options):
    """Of a parsed result, the changes since OLD (None: there is no OLD) and the job's options."""
    if options.accept:
        return Verdict(0, f"{options.accept} has this result of {_cases(len(result['cases']))}: commit it to accept it")
    problems = [] if changes is None else _problems_of_changes(changes, options)
    if not options.only_regressions and not result["as_expected"]:
        problems.append(_unexpected(result, options))
    if problems:
        return Verdict(1, "; ".join(problems))
    if options.first:
        where = f"{options.folder}/accepted.json"
        return Verdict(0, f"nothing was compared: there is no {options.old} yet. Commit {where} as {options.old}")
    if changes is None:
        return Verdict(0, "every case is as expected")
    return Verdict(0, f"nothing is worse than in {options.old}")


def _problems_of_changes(changes, options):
    problems = []
    if worse := len(changes["regressions"]):
        problems.append(f"{_cases(worse)} worse than in {options.old} (regressions): see {options.folder}/changes.md")
    # A run of fewer cases would hide what became of the others.
    absent = [case for case in changes["gone"] + changes["not_asked_in_new"] if case["status"] == "passed"]
    if absent:
        problems.append(
            f"{_cases(len(absent))} passed in {options.old} and did not run now, as {absent[0]['id']}: run them too,"
            f" or accept this result with --accept={options.old}"
        )
    return problems


def _unexpected(result, options):
    """ "1080 cases are not as expected: 1072 unsupported, 8 crashed (...)"."""
    verdicts = collections.Counter(case["verdict"] for case in result["cases"] if not case["as_expected"])
    if not verdicts:
        return "the list of deviations has mistakes, or cases are missing: see conformance.md"
    hint = "--only-regressions ignores them" if options.old else "--old=FILE --only-regressions looks at changes alone"
    counts = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common())
    return f"{_cases(sum(verdicts.values()))} not as expected and not listed in --deviations: {counts} ({hint})"


def _cases(number):
    return f"{number} case{'s' * (number != 1)}"
