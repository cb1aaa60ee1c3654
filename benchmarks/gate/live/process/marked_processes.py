"""Processes that have a mark in their environment: whoever was started with it, and all that those started.

They are found wherever they went, in a session of their own too; not those that were started without environment.
"""
import os
import signal

# Of one that starts others faster than they can be ended.
_MOST_ROUNDS = 100


def numbers(name, value):
    """Of all processes with the variable `name` of that value, zombies apart."""
    wanted = f'{name}={value}'.encode()
    return [int(process) for process in filter(str.isdigit, os.listdir('/proc')) if wanted in _environment(process)]


def end_all(name, value):
    """Kills them, and those that they start meanwhile."""
    for _ in range(_MOST_ROUNDS):
        found = numbers(name, value)
        if not found:
            return
        for process in found:
            try:
                os.kill(process, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                pass  # it has ended, or runs as another user by now


def _environment(process):
    try:
        with open(f'/proc/{process}/environ', 'rb') as file:
            return file.read().split(b'\0')
    except OSError:
        return []  # it has ended, or is another user's
