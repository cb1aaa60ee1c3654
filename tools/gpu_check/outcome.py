"""How a program of the package can end."""

PASSED, FAILED, SKIPPED, TIMED_OUT, NOT_RUN = "passed", "failed", "skipped", "timed out", "not run"
# What it needs is not on this machine, which is no failure: something that can be brought, or more GPUs.
LEFT_OUT, NOT_APPLICABLE = "left out", "not applicable"
FINE = (PASSED, LEFT_OUT, NOT_APPLICABLE)
