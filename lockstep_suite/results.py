"""Runs cases, and what came of them."""

import collections
import dataclasses
import json
import os
import shlex
import subprocess
import tempfile

from lockstep_suite import frameworks, installation

# Exit statuses of the runner where it ran to the end: all is as expected, or not.
FINISHED = (0, 1)


@dataclasses.dataclass(frozen=True)
class Case:
    """One case and what the implementation did."""

    id: str
    level: str  # "required", "recommended", "decision" or "observed"
    verdict: str  # "passed", "departed", "failed", "unsupported", ...
    # Passed, or differs as the list of known deviations says. Also False for an unsupported step that is not listed.
    as_expected: bool
    states: str  # what holds, in a sentence
    differences: tuple  # of str: what was observed and what was expected
    missing: tuple = ()  # of str: "step: reason" of each step that is unsupported

    def __str__(self):
        lines = [f"{self.id}: {self.verdict}", f"  states: {self.states}", *self.differences]
        lines += [f"  missing: {step}" for step in self.missing]
        return "\n".join([*lines, f"  explain: lockstep explain {self.id}"])


@dataclasses.dataclass(frozen=True)
class Result:
    """A finished run."""

    implementation: str  # "PyTorch 2.15.0"
    as_expected: bool  # every case is, and so is the list of known deviations
    cases: tuple  # of Case, in the order of their ids
    json: dict  # the whole, as conformance/schemas/results.schema.json describes it

    def problems(self):
        """{case id, or place in the list of known deviations: [what is not as expected]}."""
        problems = {}
        for problem in self.json["unexpected"]:
            problems.setdefault(problem["subject"], []).append(problem["text"])
        return problems

    def __repr__(self):
        counts = collections.Counter(case.verdict for case in self.cases)
        verdicts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))
        expected = "" if self.as_expected else "not "
        return f"<Result of {self.implementation}: {expected}as expected, {verdicts or 'no cases'}>"


def testee_command(testee):
    """ "my_trainer.py" is a program in Python; names of testees and commands stay. Names are of the caller's folder."""
    if not testee.endswith(".py") or " " in testee:
        return testee
    return f"{shlex.quote(installation.environment()['LOCKSTEP_PYTHON'])} {shlex.quote(os.path.abspath(testee))}"


def check_command(testee):
    """Errors: CannotRun for a program that is not there, or that cannot be started as it is."""
    try:
        words = shlex.split(testee)
    except ValueError as error:
        raise installation.CannotRun(f"[testee] {testee}: {error}; check its quotes") from error
    folder = installation.environment()["BUILD_WORKING_DIRECTORY"]
    script = testee if testee.endswith(".py") and " " not in testee else _script(words)
    if script and not os.path.exists(os.path.join(folder, script)):
        raise installation.CannotRun(f"[testee] there is no {script} in {folder}")
    if words and "/" in words[0] and not script:
        program = os.path.join(folder, words[0])
        if os.path.isfile(program) and not os.access(program, os.X_OK):
            raise installation.CannotRun(f"[testee] {words[0]} is not executable; did you mean 'python3 {testee}'?")


def _script(words):
    """The program that a command gives to Python; None for any other command."""
    if not words or not os.path.basename(words[0]).startswith("python"):
        return None
    for word in words[1:]:
        if not word.startswith("-"):
            return word if word.endswith(".py") else None
        if word in ("-c", "-m"):
            return None
    return None


def run(testee="reference", *, area=None, filter=None, level=None, deviations=None, arguments=()):
    """Runs cases against `testee`: a name, a program in Python or a command that speaks the pipe protocol.

    area, filter and level choose cases as the options of `lockstep run` do; deviations is the file with the list of
    known deviations; `arguments` are further options. Returns a Result. Errors: CannotRun where the run did not finish.
    """
    frameworks.require(testee)
    check_command(testee)
    options = {"area": area, "filter": filter, "level": level, "deviations": deviations}
    words = [f"--testee={testee_command(testee)}", *(f"--{name}={value}" for name, value in options.items() if value)]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "results.json")
        command = installation.command("conformance/run", [*words, *arguments, f"--json={path}"])
        ran = subprocess.run(
            command, cwd=installation.FILES, env=installation.environment(), capture_output=True, text=True, check=False
        )
        if ran.returncode not in FINISHED or not os.path.exists(path):
            raise installation.CannotRun(ran.stderr.strip() or ran.stdout.strip())
        with open(path, encoding="utf-8") as stream:
            return from_json(json.load(stream))


def from_json(content):
    """A Result of what `lockstep run --json` writes."""
    return Result(
        implementation=content["testee"]["implementation"],
        as_expected=content["as_expected"],
        cases=tuple(_case(case) for case in content["cases"]),
        json=content,
    )


def _step(unsupported):
    return f"{unsupported['step']}: {unsupported['reason']}" if unsupported["step"] else unsupported["reason"]


def _case(content):
    findings = [finding for run in content["runs"] for finding in run["findings"]]
    return Case(
        id=content["id"],
        level=content["level"],
        verdict=content["verdict"],
        as_expected=content["as_expected"],
        states=content["states"],
        differences=tuple(finding["difference"] for finding in findings if not finding["holds"]),
        missing=tuple(dict.fromkeys(_step(run["unsupported"]) for run in content["runs"] if "unsupported" in run)),
    )
