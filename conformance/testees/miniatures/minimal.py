"""The smallest honest testee: docs/protocol.md explains it line by line."""

import json
import os
import sys

replies = os.fdopen(os.dup(1), "w", encoding="utf-8")  # ours alone
os.dup2(2, 1)  # whatever else prints lands on stderr


def fail(step, names):
    raise ValueError("asked to fail")


STEPS = {
    "value.constant": lambda step, names: step["value"],
    "value.show": lambda step, names: names[step["of"]],
    "value.fail": fail,
}


def run(program):
    names, observations = {}, {}
    for step in program:
        name = step["step"]
        if name not in STEPS:
            return {"unsupported": {"step": name, "reason": "not written yet"}}
        try:
            names[step.get("let")] = value = STEPS[name](step, names)
        except ValueError as e:
            error = {"class": "InvalidArgument", "message": str(e), "at_step": name}
            return {"error": error}
        if "observe" in step:
            observations[step["observe"]] = value
    return {"observations": observations}


def answer(message):
    if message["cmd"] == "run":
        return {"seq": message["seq"], **run(message["program"])}
    assert message == {"cmd": "start", "version": 1}, message
    return {
        "version": 1,
        "name": "minimal",
        "implementation": "Minimal 1",
        "language": "python",
        "devices": ["CPU"],
        "conventions": {},
        "steps": sorted(STEPS),
    }


def reply(message):
    print(json.dumps(message, allow_nan=False), file=replies, flush=True)


if __name__ == "__main__":
    for line in sys.stdin:
        if json.loads(line) == {"cmd": "stop"}:
            sys.exit(0)
        reply(answer(json.loads(line)))
    sys.exit("wanted stop, got the end of the input")
