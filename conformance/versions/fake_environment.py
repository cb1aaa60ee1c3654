"""An environment of frameworks for tests, whose pip installs versions of a made-up package without a network."""

import json
import os
import pathlib
import platform
import stat
import sys
import time

from third_party.frameworks import make_venv

# What stands for the environment's Python: itself, but for pip. Beside it are versions.json and the log.
PYTHON = """\
#!{executable}
import json, os, pathlib, subprocess, sys, time
if sys.argv[1:3] != ["-m", "pip"]:
    os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
here = pathlib.Path(__file__).parent
requirements = [word.split("==") for word in sys.argv if "==" in word]
with open(here / "installed.log", "a") as log:
    print(*sys.argv[4:], file=log)
target = pathlib.Path(sys.argv[sys.argv.index("--target") + 1])
target.mkdir(parents=True)
modes = json.loads((here / "versions.json").read_text())
for package, version in requirements:
    (target / "begun").touch()
    if version not in modes:
        print("looking\\n\\nERROR: there is no " + package + " " + version)
        sys.exit(1)
    if modes[version] == "never ends":
        subprocess.run(["sh", "-c", "sleep 3600; true", str(target)])
    (target / (package + ".py")).write_text("VERSION, MODE = %r, %r\\n" % (version, modes[version]))
"""

# Declares the version that is installed, and behaves as its mode says (conformance/testees/miniatures).
TESTEE = """\
import sys
sys.path.append({miniatures!r})
import fake, minimal, miniature
honest = minimal.answer
def answer(message):
    reply = honest(message)
    return reply | dict(implementation="Fake " + fake.VERSION) if message["cmd"] == "start" else reply
minimal.answer = answer
miniature.main(fake.MODE)
"""
PATIENCE_S = 10
HONEST = "takes_any_command"  # the mode that gives every program its answer


class FakeEnvironment:
    """In the folder given, where make_venv.py finds it by LOCKSTEP_CACHE_DIR.

    modes: version of the package "fake" -> what a miniature does, or "never ends": its installation
    """

    def __init__(self, folder, modes):
        requirements = (make_venv.HERE / "requirements.txt").read_text()
        parts = [requirements, platform.python_version(), platform.machine()]
        environment = pathlib.Path(folder) / make_venv.environment_name("frameworks", parts)
        (environment / "bin").mkdir(parents=True)
        (environment / make_venv.DONE).touch()
        self.folder = str(folder)
        self.python = environment / "bin" / "python"
        self.python.write_text(PYTHON.format(executable=sys.executable))
        self.python.chmod(self.python.stat().st_mode | stat.S_IXUSR)
        (environment / "bin" / "versions.json").write_text(json.dumps(modes))
        self.versions = environment.with_name(environment.name + "-versions")
        self.testee = pathlib.Path(folder) / "testee.py"
        self.testee.write_text(TESTEE.format(miniatures=os.path.abspath("conformance/testees/miniatures")))

    def installed(self):
        """The requirements of each call of pip, a text a call."""
        log = self.python.with_name("installed.log")
        return log.read_text().splitlines() if log.exists() else []


def processes_of(text):
    """The command lines in which the text stands."""
    found = []
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{number}/cmdline", encoding="utf-8", errors="replace") as file:
                line = file.read()
        except OSError:
            continue  # it has just ended
        found += [line] if text in line else []
    return found


def survivors_of(text):
    """The same of processes that were killed, which takes a busy machine a while."""
    deadline = time.monotonic() + PATIENCE_S
    while (found := processes_of(text)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return found
