"""Steps that Lightning has nothing for, and why."""

from conformance.testees.python.step_table import StepTable

steps = StepTable()

_CALLS = "a Trainer trains as a whole: such calls are PyTorch's own, in a user's step"

_REASONS = {
    "loader.set_epoch": "the Trainer numbers the passes, and tells its samplers each number",
    "loader.skip": "it has nothing that leaves out the first batches of a loader",
    "train.no_sync": "the Trainer itself decides when gradients stay where they are",
    "train.join": "its strategy has no Join: replicas have to have equally many batches",
    "train.gather": "its all_gather gives what each rank has, what was added too",
}

for _name, _reason in _REASONS.items():
    steps.unsupported(_name, _reason)
for _group in (
    "callback",
    "checkpoint",
    "collective",
    "counter",
    "dataset",
    "file",
    "function",
    "gradient",
    "graph",
    "history",
    "input",
    "layer",
    "loss",
    "manager",
    "metric",
    "model",
    "optimizer",
    "precision",
    "saved_model",
    "schedule",
    "strategy",
    "value",
    "variable",
    "worker",
):
    steps.unsupported_group(_group, _CALLS)
