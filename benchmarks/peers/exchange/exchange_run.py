"""The shared parts of the exchanges of files: programs that print JSON, and differences of numbers."""

import json
import subprocess
import sys

LARGEST_DIFFERENCE = 1e-6


def run(command):
    """The JSON that a program prints last."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"[exchange] {command[0]} failed:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def largest_difference(expected, numbers):
    """Of two lists of numbers, or of lists of them."""
    pairs = zip(expected, numbers, strict=True)
    return max(largest_difference(a, b) if isinstance(a, list) else abs(a - b) for a, b in pairs)
