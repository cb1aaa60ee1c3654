"""Steps that PyTorch has nothing for, and why."""

from conformance.testees.python.step_table import StepTable

steps = StepTable()

_BATCH_NORM = "nn.BatchNorm1d moves an unbiased variance, by the rest of the momentum"
_NO_POLICY = "its layers follow no policy of types and have no fit that trains them"
_AUTOCAST = "torch.autocast is a context around operations, not a policy of layers"

_NO_DATASET = "torch.utils.data has no such dataset"
_OF_A_MODULE = "DistributedDataParallel keeps the parameters of a module equal, and no value by itself"
_AFTER_BACKWARD = "an optimizer of PyTorch is made of a module's parameters, and takes what backward() left in them"
_NO_FILES = "state dicts of any tensors are saved and loaded, not a graph of objects"
_NO_FIT = "PyTorch has no fit and no callbacks: Lightning is a library of its own"

_REASONS = {
    "strategy.create": "the launcher starts the ranks before the program begins",
    "strategy.scope": "one process group is in force for the whole program",
    "strategy.tpu_pod": "DistributedDataParallel has no TPUs; PyTorch/XLA is another library",
    "strategy.merge_call": "no rank acts for all: there is no cross-replica context",
    "dataset.from_generator": "a DistributedSampler draws by index",
    "dataset.padded_batch": "torch.utils.data pads nothing by itself",
    "dataset.unbatch": "batches are made by a DataLoader, the last thing of all",
    "dataset.shard": "a DistributedSampler is all that divides examples over ranks",
    "dataset.filter": "a DistributedSampler needs a length, and that of a filter is unknown",
    "dataset.map": "torch.utils.data transforms inside the dataset's own class",
    "dataset.prefetch": "only the worker processes of a DataLoader prefetch",
    "input.next_as_optional": "a DataLoader's iterator ends with StopIteration",
    "input.has_value": "a DataLoader's iterator ends with StopIteration",
    "input.get_value": "a DataLoader's iterator ends with StopIteration",
    "loss.compute_average": "its losses average over the rank's own batch",
    "loss.scale_regularization": "gradients are averaged, nothing is to be scaled",
    "checkpoint.save": "torch.save and torch.distributed.checkpoint number nothing",
    "checkpoint.latest": "no state file names the last one saved",
    "checkpoint.assert_consumed": "load_state_dict is strict, or tells nothing later",
    "checkpoint.assert_existing_objects_matched": "load_state_dict is strict or not",
    "loader.skip": "a DistributedSampler begins each pass at its beginning",
    "train.losses": "DistributedDataParallel tells no loss: each rank's is its own",
    "train.evaluate": "it has no evaluation: torchmetrics is a library of its own",
    "train.predict": "nothing puts the ranks' outputs into the order of the examples",
    "train.gather": "all_gather does not know what a DistributedSampler has added",
    "layer.batch_normalization": _BATCH_NORM,
    "layer.convolution": "nn.Conv2d takes images with the channels first",
    "layer.flatten": "nn.Flatten is for what a Conv2d gives, whose images have the channels first",
    "layer.dropout": "nn.Dropout takes no seed: it draws from its process's generator",
    "layer.max_pooling": "nn.MaxPool2d takes images with the channels first",
}

_GROUPS = {
    "callback": _NO_FIT,
    "checkpoint": _NO_FILES,
    "coordinator": "every process of DistributedDataParallel keeps all parameters, and none schedules for others",
    "counter": _NO_DATASET,
    "dataset": _NO_DATASET,
    "file": "torch.utils.data reads no files by itself: that is the dataset's own class",
    "function": "torch.compile takes no signature: it guards what it has compiled by what it was called with",
    "graph": "PyTorch runs at once; it has no graph that a session evaluates",
    "history": _NO_FIT,
    "input": "a DataLoader tells no spec, and a DistributedSampler no context",
    "layer": _NO_POLICY,
    "manager": "no state file names what was saved, and nothing deletes the oldest",
    "metric": "PyTorch has no metrics: torchmetrics is a library of its own",
    "model": _NO_FIT,
    "optimizer": _AFTER_BACKWARD,
    "partitioner": "DistributedDataParallel divides no parameters: each process has all",
    "precision": _AUTOCAST,
    "saved_model": _NO_FIT,
    "schedule": _AFTER_BACKWARD,
    "variable": _OF_A_MODULE,
}

for _name, _reason in _REASONS.items():
    steps.unsupported(_name, _reason)
for _group, _reason in _GROUPS.items():
    steps.unsupported_group(_group, _reason)
