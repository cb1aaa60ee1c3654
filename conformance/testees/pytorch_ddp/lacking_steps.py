"""Steps that PyTorch has nothing for, and why."""

from conformance.testees.python.step_table import StepTable

steps = StepTable()

_BATCH_NORM = "nn.BatchNorm1d moves an unbiased variance, by the rest of the momentum"
_AUTOCAST = "torch.autocast is a context around operations, not a policy of layers"

_REASONS = {
    "strategy.create": "the launcher starts the ranks before the program begins",
    "strategy.scope": "one process group is in force for the whole program",
    "strategy.merge_call": "no rank acts for all: there is no cross-replica context",
    "dataset.from_generator": "a DistributedSampler draws by index",
    "dataset.padded_batch": "torch.utils.data pads nothing by itself",
    "dataset.unbatch": "batches are made by a DataLoader, the last thing of all",
    "dataset.filter": "a DistributedSampler wants a length, and a filter's nobody knows",
    "dataset.map": "torch.utils.data transforms inside the dataset's own class",
    "dataset.enumerate": "torch.utils.data has no such dataset",
    "dataset.cache": "torch.utils.data has no such dataset",
    "dataset.prefetch": "only the worker processes of a DataLoader prefetch",
    "input.next_as_optional": "a DataLoader's iterator ends with StopIteration",
    "input.has_value": "a DataLoader's iterator ends with StopIteration",
    "input.get_value": "a DataLoader's iterator ends with StopIteration",
    "loss.compute_average": "its losses average over the rank's own batch",
    "loss.scale_regularization": "gradients are averaged, nothing is to be scaled",
    "optimizer.iterations": "torch.optim counts no steps",
    "checkpoint.create": "state dicts of any tensors are saved, not a graph of objects",
    "checkpoint.save": "torch.save and torch.distributed.checkpoint number nothing",
    "checkpoint.write": "state dicts are saved, not a graph of objects",
    "checkpoint.restore": "state dicts are loaded, not a graph of objects",
    "checkpoint.latest": "no state file names the last one saved",
    "checkpoint.assert_consumed": "load_state_dict is strict, or tells nothing later",
    "checkpoint.assert_existing_objects_matched": "load_state_dict is strict or not",
    "precision.policy": _AUTOCAST,
    "precision.set_policy": _AUTOCAST,
    "layer.batch_normalization": _BATCH_NORM,
    "layer.dense": _AUTOCAST,
    "layer.max_pooling": "nn.MaxPool2d takes images with the channels first",
    "layer.call": _AUTOCAST,
    "layer.weight": _AUTOCAST,
} | {
    "metric." + name: "PyTorch has no metrics: torchmetrics is a library of its own"
    for name in ("create", "update_state", "result", "reset_state")
}

for _name, _reason in _REASONS.items():
    steps.lack(_name, _reason)
