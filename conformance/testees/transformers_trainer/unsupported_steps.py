"""Steps that a Trainer has nothing for, and why."""

from conformance.testees.python.step_table import StepTable

steps = StepTable()

_REASONS = {
    "loader.skip": "a Trainer skips batches by itself where it resumes, and only there",
    "train.no_sync": "a Trainer's loop decides by itself which batches it combines",
    "train.join": "a Trainer's loop has nothing for replicas with different numbers of batches",
}

for _name, _reason in _REASONS.items():
    steps.unsupported(_name, _reason)
