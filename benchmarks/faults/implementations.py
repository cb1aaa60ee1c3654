"""The implementations under test: the commands of their workers, and their timeouts and files."""

import dataclasses
import os
import shlex
import subprocess
import sys

# A worker's heartbeats, in seconds: between two of them at least one passes.
HEARTBEAT = 1.0
_CHECKPOINT = (r"(.+-\d+)\.index", r"(.+-\d+)\.data-\d{5}-of-\d{5}", "checkpoint")


@dataclasses.dataclass(frozen=True)
class Implementation:
    """`command`: its command before the options that every worker program takes.

    `errors`: the classes of errors that a worker may end with because of another one. `own_timeout`: seconds after
    which it aborts because a worker does not answer, unless another is set; None: longer than any test waits.
    `files`: patterns of what may be in the folder of checkpoints, see leftovers.of_checkpoints.
    """

    name: str
    command: tuple
    errors: tuple
    own_timeout: float
    files: tuple = _CHECKPOINT


def lockstep(command):
    """Ours; its worker waits 10 s for heartbeats unless another timeout is set."""
    return Implementation("lockstep", command, ("Unavailable", "DeadlineExceeded"), 10.0)


def tensorflow(command):
    return Implementation("tensorflow", command, ("UnavailableError", "DeadlineExceededError", "AbortedError"), 10.0)


def pytorch(command):
    """Its gloo waits for 30 minutes."""
    return Implementation(
        "pytorch",
        command,
        ("RuntimeError", "DistBackendError", "DistNetworkError", "DistStoreError"),
        None,
        (r"(checkpoint)\.pt",),
    )


MAKERS = {"lockstep": lockstep, "tensorflow": tensorflow, "pytorch": pytorch}
_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def find(name, worker=None):
    """The implementation of a name; `worker`: a command instead of its default. Errors: OSError, CalledProcessError."""
    if worker is not None:
        return MAKERS[name](tuple(shlex.split(worker)))
    if name == "lockstep":
        return lockstep((os.path.join(_ROOT, "benchmarks", "faults", "worker"),))
    return MAKERS[name]((_frameworks_python(), "-m", f"benchmarks.peers.faults.faults_{name}"))


def _frameworks_python():
    make = [sys.executable, os.path.join(_ROOT, "third_party", "frameworks", "make_venv.py")]
    made = subprocess.run(make, check=True, stdout=subprocess.PIPE, text=True)
    return made.stdout.strip().splitlines()[-1]
