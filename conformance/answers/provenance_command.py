"""Prints, as JSON, what would answer if a testee ran now: the machine, and of a testee with a name in
testees.json the pinned packages that it is made of and hashes of its source (testee_source.py).

    python3 -m conformance.answers.provenance_command keras
    {"machine": "2 x AMD EPYC", "packages": {"keras": "3.15.1", ...}, "program": "f0215a...", "steps": {...}}

//conformance:run asks it, from the root of the tree or of what Bazel laid out.
"""

import json
import os
import platform
import re
import sys

from conformance.answers.testee_source import TesteeSource

OPERATIONS = ("conformance/operations.md", "conformance/intents.md")
REQUIREMENTS = "third_party/frameworks/requirements.txt"
STEP = re.compile(r"^### `([a-z]+\.[a-z_]+)`$", re.MULTILINE)


def read(path):
    with open(path, encoding="utf-8") as stream:
        return stream.read()


def machine():
    """ "2 x AMD EPYC": its cores, and what they are."""
    names = []
    if os.path.exists("/proc/cpuinfo"):
        names = re.findall(r"^model name\s*: (.+)$", read("/proc/cpuinfo"), re.MULTILINE)
    return f"{os.cpu_count() or 1} x {names[0] if names else platform.machine()}"


def program_of(command):
    """The file of the module that Python runs by it; None of any other program."""
    return command[command.index("-m") + 1].replace(".", "/") + ".py" if "-m" in command else None


def provenance(name):
    """Of the testee with that name; of any other the machine alone."""
    found = {"machine": machine()}
    testee = next((one for one in json.loads(read("conformance/testees.json"))["testees"] if one["name"] == name), {})
    if testee.get("packages"):
        pins = dict(line.split("==") for line in read(REQUIREMENTS).splitlines() if "==" in line)
        found["packages"] = {package: pins[package] for package in testee["packages"]}
    if program := program_of(testee.get("command", [])):
        steps = [step for path in OPERATIONS for step in STEP.findall(read(path))]
        source = TesteeSource(".", program, steps)
        found |= {"program": source.program, "steps": source.steps}
    return found


def main(arguments):
    print(json.dumps(provenance(arguments[0] if arguments else "")))


if __name__ == "__main__":
    main(sys.argv[1:])
