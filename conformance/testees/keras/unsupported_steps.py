"""Steps that Keras leaves to TensorFlow, and why: the testee beside this one shows them."""

from conformance.testees.python.step_table import StepTable

steps = StepTable()

_COLLECTIVE = "Keras has no collectives of its own; TensorFlow's are another column"
_SCALING = "Keras scales losses inside its loss classes and Model, by no function"
_CHECKPOINT = "Keras saves models and their weights, not checkpoints of single objects"
_SESSIONS = "graphs and sessions are TensorFlow 1's; Keras 3 has nothing of its own there"

_REASONS = {
    "collective.all_reduce": _COLLECTIVE,
    "collective.all_gather": _COLLECTIVE,
    "strategy.gather": _COLLECTIVE,
    "strategy.merge_call": _COLLECTIVE,
    "strategy.tpu_pod": "Keras takes TensorFlow's strategies, whose TPUStrategy requires TPUs",
    "loss.compute_average": _SCALING,
    "loss.scale_regularization": _SCALING,
}

for _name, _reason in _REASONS.items():
    steps.unsupported(_name, _reason)
steps.unsupported_group("checkpoint", _CHECKPOINT)
steps.unsupported_group("graph", _SESSIONS)
steps.unsupported_group("manager", _CHECKPOINT)
steps.unsupported_group("partitioner", "Keras 3 trains under no parameter servers, and divides no variables among them")
