"""Small programs out of the built-in cases, for the steps that a testee declares."""
import json
import pathlib
import re

from tools.check_cases import case_parameters

# For who has only begun: no built-in case is as small.
FIRST_CASES = [
    {"id": "first/constant", "given": {"strategy": "default"}, "program": [
        {"observe": "x", "step": "value.constant", "value": [1, 2.5]}]},
    {"id": "first/name", "given": {"strategy": "default"}, "program": [
        {"let": "x", "step": "value.constant", "value": [[1], [2]]},
        {"observe": "y", "step": "value.show", "of": "x"}]},
    {"id": "first/failure", "given": {"strategy": "default"}, "program": [
        {"step": "value.fail"}]},
]


def described_steps(operations):
    """The steps of operations.md."""
    text = pathlib.Path(operations).read_text(encoding="utf-8")
    return set(re.findall(r"^### `([a-z]+\.[a-z_]+)`$", text, re.MULTILINE))


def load_cases(folder):
    """All cases below a folder as testees get them, in the order of their ids."""
    cases = []
    for path in pathlib.Path(folder).rglob("*.json"):
        cases += json.loads(path.read_text(encoding="utf-8"))["cases"]
    return sorted(map(case_parameters.as_put, cases), key=lambda case: case["id"])


def all_steps(program):
    """Every step object of a program, blocks included."""
    for step in program:
        yield step
        yield from all_steps(step.get("program", []))


def step_names(program):
    return {step["step"] for step in all_steps(program)}


def observation_names(program):
    return {step["observe"] for step in all_steps(program) if "observe" in step}


def given_once(given):
    """`given` as a run has it: with one replica count."""
    replicas = given.get("replicas")
    return {**given, "replicas": replicas[0]} if isinstance(replicas, list) else given


def choose(cases, declared):
    """(cases, steps left over): short cases of one process and declared steps only that together use all these
    steps but those left over."""
    usable = [case for case in cases
              if step_names(case["program"]) <= set(declared) and "workers" not in case["given"]]
    usable.sort(key=lambda case: len(list(all_steps(case["program"]))))
    chosen, used = [], set()
    for step in sorted(declared):
        if step in used:
            continue
        case = next((c for c in usable if step in step_names(c["program"])), None)
        if case:
            chosen.append(case)
            used |= step_names(case["program"])
    return chosen, sorted(set(declared) - used)
