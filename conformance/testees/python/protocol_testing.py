"""What tests say to a testee, over the pipe or by a call."""

import json
import os
import subprocess
import sys

from conformance.testees.python import miniature_testee, protocol

START = {"cmd": "start", "version": 1}
STOP = {"cmd": "stop"}
SHOW_RUNS = {"observe": "runs", "step": "value.show", "of": "runs"}


def run(seq, *program):
    given = {"strategy": "mirrored", "replicas": 2}
    return {"cmd": "run", "seq": seq, "token": "c", "given": given, "program": program}


def talk(messages, *arguments):
    """The finished testee that was told these messages."""
    return subprocess.run(
        [sys.executable, miniature_testee.__file__, *arguments],
        input="".join(json.dumps(message) + "\n" for message in messages),
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=60,
    )


def reply_of(testee, message):
    return protocol.answering(testee)(message)


def replies_of(finished):
    return [json.loads(line) for line in finished.stdout.splitlines()]
