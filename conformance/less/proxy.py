"""A testee that is another one, less a step or an option: it runs between the runner and that testee.

    python3 -m conformance.less.proxy --without=dataset.shuffle --log=FILE -- conformance/testees/reference/pipe

A program that is invalid without what was removed, as docs/protocol.md has it (Internal, in the step `testee`),
or that the testee then does not support, is sent to it again unchanged: a program that cannot run notices nothing.
The log has a line for each program that was changed: `carried out` or `senseless`.
"""

import argparse
import json
import os
import subprocess
import sys

from conformance.less import vocabulary
from conformance.less.removal import Removal

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CARRIED_OUT, SENSELESS = "carried out", "senseless"


def is_senseless(reply):
    return "unsupported" in reply or reply.get("error", {}).get("at_step") == "testee"


class Proxy:
    """ask: a function that takes a line of the protocol and gives the testee's answer, "" when that has ended."""

    def __init__(self, removal, ask, log):
        self._removal = removal
        self._ask = ask
        self._log = log

    def answer(self, line):
        """The reply to a line of the runner."""
        message = json.loads(line)
        fewer = self._removal.apply(message.get("program", []))
        if message["cmd"] != "run" or fewer == message["program"]:
            return self._ask(line)
        reply = self._ask(json.dumps(message | {"program": fewer}) + "\n")
        senseless = bool(reply) and is_senseless(json.loads(reply))
        self._log(SENSELESS if senseless else CARRIED_OUT)
        return self._ask(line) if senseless else reply


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--without", required=True, metavar="STEP[:OPTION]")
    parser.add_argument("--log", required=True, metavar="FILE", help="a line for each changed program is added")
    parser.add_argument("testee", nargs="+", help="the testee's command, after --")
    return parser.parse_args(arguments)


def main(arguments):
    options = parse_arguments(arguments)
    removal = Removal.parse(options.without, vocabulary.read_steps(ROOT))
    with (
        subprocess.Popen(options.testee, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as testee,
        open(options.log, "a", encoding="utf-8") as log,
    ):

        def ask(line):
            testee.stdin.write(line)
            testee.stdin.flush()
            return testee.stdout.readline()

        proxy = Proxy(removal, ask, lambda words: print(words, file=log, flush=True))
        for line in sys.stdin:
            if json.loads(line)["cmd"] == "stop":
                testee.communicate(line)
                return testee.returncode
            reply = proxy.answer(line)
            if not reply:
                return "the testee has ended, with %d" % testee.wait()
            sys.stdout.write(reply)
            sys.stdout.flush()
    return "wanted stop, got the end of the input"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
