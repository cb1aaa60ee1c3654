"""train.evaluate and the like: what a Trainer's `evaluate` and `predict` do."""

from conformance.testees.python.step_table import StepTable
from conformance.testees.transformers_trainer.loader import IGNORED
from conformance.testees.transformers_trainer.network import Echo
from conformance.testees.transformers_trainer.trainers import trainer_of

steps = StepTable()


@steps.step("train.evaluate")
def evaluate(call):
    names = call.argument("metrics", [])

    def compute_metrics(prediction):
        return {name: _METRICS[name](prediction) for name in names}

    trainer = call.find("of").measuring(call.find("loader"), compute_metrics=compute_metrics)
    found = trainer.evaluate()
    return {name: found[f"eval_{name}"] for name in ("loss", *names)}


@steps.step("train.predict")
def predict(call):
    loader = call.find("loader")
    return _predicted(call.find("of").measuring(loader), loader)


@steps.step("train.gather")
def examples(call):
    loader = call.find("loader")
    return _predicted(trainer_of(Echo(), loader, call.path("trainer")), loader)


def _predicted(trainer, loader):
    return trainer.predict(loader.inputs()).predictions.tolist()


def _accuracy(prediction):
    counts = prediction.label_ids != IGNORED
    is_right = prediction.predictions.argmax(-1) == prediction.label_ids
    # https://huggingface.co/docs/transformers/training (compute_metrics)
    return is_right[counts].mean()


def _count(prediction):
    return len(prediction.predictions)


_METRICS = {"accuracy": _accuracy, "count": _count}
