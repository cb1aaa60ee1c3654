"""train.evaluate and the like: what replicas give, by the documented loop of evaluation."""

import inspect

import torch

from conformance.testees.python.errors import Unsupported
from conformance.testees.python.step_table import StepTable

steps = StepTable()


@steps.step("train.evaluate")
def evaluate(call):
    training = call.find("of")
    outputs, labels = _measured(training, call.find("loader"))
    found = {"loss": training.model.data_loss(outputs, labels)}
    for name in call.argument("metrics", []):
        found[name] = _METRICS[name](training.model, outputs, labels)
    return found


@steps.step("train.predict")
def predict(call):
    outputs, _ = _measured(call.find("of"), call.find("loader"))
    return outputs


@steps.step("train.gather")
def examples(call):
    gather = _gathering(call.find("of"), call.find("loader"))
    # https://huggingface.co/docs/accelerate/quicktour (distributed evaluation)
    return torch.cat([gather(batch[0]) for batch in call.find("loader").read_pass()])


def _measured(training, loader):
    """The outputs of all examples of a pass, and their labels where there are some."""
    gather = _gathering(training, loader)
    training.prepared.eval()
    gathered = []
    for inputs, *labels in loader.read_pass():
        with torch.no_grad():
            outputs = training.prepared(inputs)
        gathered.append([gather(tensor) for tensor in (outputs, *labels)])
    # https://huggingface.co/docs/accelerate/quicktour (distributed evaluation)
    outputs, *labels = (torch.cat(parts) for parts in zip(*gathered))
    return outputs, labels[0] if labels else None


def _gathering(training, loader):
    """What gathers a tensor: as objects, row by row, where replicas' shares are unequal."""
    gather = training.accelerator.gather_for_metrics
    if loader.has_equal_shares or training.accelerator.num_processes == 1:
        return gather
    if "use_gather_object" not in inspect.signature(gather).parameters:  # since 0.31
        raise Unsupported("gather_for_metrics needs equal shares on all replicas")
    # https://huggingface.co/docs/accelerate/package_reference/accelerator (gather_for_metrics, use_gather_object)
    return lambda tensor: torch.stack(gather(tensor, use_gather_object=True))


def _accuracy(model, outputs, labels):
    is_right = outputs.argmax(dim=-1) == labels
    # huggingface/accelerate:examples/cv_example.py (accurate_preds)
    return is_right[labels != model.ignored].float().mean()


def _count(_, outputs, __):
    return len(outputs)


_METRICS = {"accuracy": _accuracy, "count": _count}
