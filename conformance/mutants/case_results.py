"""Runs cases against a testee, in a separate run of //conformance:run.

results_of("conformance/testees/reference/pipe", 5)    # [{"id": "input/rebatch/...", "verdict": "passed", ...}, ...]
"""

import json
import os
import subprocess
import tempfile

from command_line.user_paths import BAZELS_OWN

RUNNER = "conformance/run"
COULD_NOT_RUN = 2


class RunFailed(Exception):
    """The cases could not be run; the text is the end of what the runner said."""


def results_of(testee, deadline_s, *arguments):
    """What the results say of each case; all are put, or those that the runner's arguments choose. Errors: RunFailed.

    In processes of its own the testee may hang or die without taking the caller along.
    """
    # Without the variables by which `bazel run` names the user's folders.
    environment = {name: value for name, value in os.environ.items() if name not in BAZELS_OWN}
    with tempfile.TemporaryDirectory() as folder:
        results = os.path.join(folder, "results.json")
        command = [os.path.abspath(RUNNER), "--testee=" + testee, "--deadline=%d" % deadline_s, "--json=" + results]
        done = subprocess.run(
            [*command, *arguments],
            check=False,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        if done.returncode == COULD_NOT_RUN or not os.path.exists(results):
            raise RunFailed("[RunCases] %s: %s" % (testee, done.stdout[-4000:]))
        with open(results, encoding="utf-8") as stream:
            return json.load(stream)["cases"]
