"""Testees that do nothing a case asks for, each with one answer to every program: nulls.py NAME.

A case that one of them passes says too little. What they are called: `error_at_last_step_NotFound`,
`says_unsupported`, `observes_nothing`, and a value in a shape, as `zero`, `zero_a_replica`, `zero_as_blocks`.
"""

import json
import random
import sys

import minimal

# A program that reads data as often as these rounds is guessed right now and then.
ROUNDS_OF_DATA = 2
ERROR_CLASSES = ("InvalidArgument", "FailedPrecondition", "OutOfRange", "NotFound", "DataLoss")
DRAWN = random.Random(1)  # the same numbers each time


def steps_of(program, blocks=()):
    """Each step with the blocks around it, from the outside in."""
    for step in program:
        yield step, blocks
        for block in step.values():
            if isinstance(block, list) and block and isinstance(block[0], dict) and "step" in block[0]:
                yield from steps_of(block, (*blocks, step))


def echo(step, made_by, seen=frozenset()):
    """The first literal that the step is given, or that what it works on was made from."""
    for key, value in step.items():
        if key in ("let", "observe", "step", "program") or id(step) in seen:
            continue
        origin = made_by.get(value.split(".")[0]) if isinstance(value, str) else None
        found = echo(origin, made_by, seen | {id(step)}) if origin else value
        if found is not None:
            return found
    return None


VALUES = {
    "null": lambda *_: None,
    "zero": lambda *_: 0,
    "one": lambda *_: 1,
    "true": lambda *_: True,
    "false": lambda *_: False,
    "empty_list": lambda *_: [],
    "random": lambda *_: DRAWN.random(),
    "echo": echo,
    "InvalidArgument": lambda *_: "InvalidArgument",  # as program.try gives it
    "OutOfRange": lambda *_: "OutOfRange",
}


def rounds_of(block, replicas):
    """How often a block runs, as far as one can tell without doing anything."""
    if block["step"] == "strategy.run":
        return replicas
    if block["step"] == "program.repeat":
        return block["times"] if isinstance(block["times"], int) else ROUNDS_OF_DATA
    return ROUNDS_OF_DATA if block["step"] == "input.for_each" else None


def one_a_replica(make, blocks, replicas):
    return [make() for _ in range(replicas)]


def as_blocks(make, blocks, replicas):
    if not blocks:
        return make()
    rounds = rounds_of(blocks[0], replicas)
    if rounds is None:
        return as_blocks(make, blocks[1:], replicas)
    return [as_blocks(make, blocks[1:], replicas) for _ in range(rounds)]


def one_a_replica_as_blocks(make, blocks, replicas):
    return as_blocks(lambda: one_a_replica(make, (), replicas), blocks, replicas)


SHAPES = {
    "": lambda make, blocks, replicas: make(),
    "_a_replica": one_a_replica,
    "_as_blocks": as_blocks,
    "_a_replica_as_blocks": one_a_replica_as_blocks,
}


def observing(value, shape):
    def answer(message):
        program, replicas = message["program"], message["given"].get("replicas", 1)
        made_by = {step["let"]: step for step, _ in steps_of(program) if "let" in step}
        return {
            "observations": {
                step["observe"]: shape(lambda step=step: value(step, made_by), blocks, replicas)
                for step, blocks in steps_of(program)
                if "observe" in step
            }
        }

    return answer


def failing(at, error_class):
    def answer(message):
        step = [step["step"] for step, _ in steps_of(message["program"])][at]
        return {"error": {"class": error_class, "message": "no", "at_step": step}}

    return answer


def says_unsupported(message):
    return {"unsupported": {"step": message["program"][0]["step"], "reason": "no"}}


NULLS = {
    "says_unsupported": says_unsupported,
    "observes_nothing": lambda message: {"observations": {}},
    **{
        f"error_at_{place}_step_{name}": failing(at, name)
        for place, at in (("first", 0), ("last", -1))
        for name in ERROR_CLASSES
    },
    **{name + end: observing(value, shape) for name, value in VALUES.items() for end, shape in SHAPES.items()},
}


def main(name):
    for line in sys.stdin:
        message = json.loads(line)
        if message["cmd"] == "stop":
            return
        if message["cmd"] == "start":
            minimal.reply(
                {**minimal.answer(message), "name": "null", "implementation": f"null {name}", "workers": 8, "steps": []}
            )
        else:
            minimal.reply({"seq": message["seq"], **NULLS[name](message)})


if __name__ == "__main__":
    if sys.argv[1] == "--list":
        print("\n".join(NULLS), file=minimal.replies)
    else:
        main(sys.argv[1])
