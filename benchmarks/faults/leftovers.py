"""What a job leaves: processes, ports, files."""

import os
import re
import signal
import time

from benchmarks.faults.worker_process import MARK
from processes import process_group
from processes.ports import listening

# A killed process may exist for a moment longer.
SOON = 0.5
# Checkpoints that a worker program keeps.
KEPT = 2


def processes(mark):
    """Numbers of all processes that have the mark in their environment, zombies apart."""
    return process_group.marked(MARK, mark)


def of_processes(mark, ports):
    """What is left of a job whose workers have ended, in words; kills the processes."""
    end = time.monotonic() + SOON
    while time.monotonic() < end and (processes(mark) or listening(ports)):
        time.sleep(0.01)
    problems = []
    for number in processes(mark):
        problems.append(f"process {number} is left")
        os.kill(number, signal.SIGKILL)
    return problems + [f"a process still listens at port {port}" for port in listening(ports)]


def of_checkpoints(directory, patterns, most=KEPT):
    """What is in a folder of checkpoints apart from the newest ones, in words.

    `patterns`: of names that may be there; a group in one is the checkpoint's name.
    """
    checkpoints, problems = set(), []
    for name in sorted(os.listdir(directory)):
        match = next(filter(None, (re.fullmatch(pattern, name) for pattern in patterns)), None)
        if not match:
            problems.append(f"{name} is left")
        elif match.groups():
            checkpoints.add(match.group(1))
    if len(checkpoints) > most:
        problems.append(f"wanted {most} at most, there are {', '.join(sorted(checkpoints))}")
    return problems
