"""How a program of the package can end."""

PASSED, FAILED, SKIPPED, TIMED_OUT, NOT_RUN = 'passed', 'failed', 'skipped', 'timed out', 'not run'
LEFT_OUT = 'left out'  # what it needs is not on this machine: no failure
