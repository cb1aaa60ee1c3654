"""Trainers, made of what a program asks for."""

import dataclasses

from torch.utils.data import SequentialSampler
from transformers import Trainer, TrainingArguments

from conformance.testees.torch_ranks.testee import COLLECTIVE_TIMEOUT

KNOWN = {field.name for field in dataclasses.fields(TrainingArguments)}
# Since 5.0 a Trainer has an option not to shuffle; before, its sampler is overridden.
_IN_ORDER = {"train_sampling_strategy": "sequential"}

ALWAYS = {
    "use_cpu": True,
    "ddp_backend": "gloo",
    "ddp_timeout": COLLECTIVE_TIMEOUT.seconds,
    "dataloader_pin_memory": False,
    "disable_tqdm": True,
    "report_to": "none",
    "save_strategy": "no",  # the callback says when
    "logging_strategy": "epoch",
    "label_names": ["labels"],
    "remove_unused_columns": False,
}


class TrainerInOrder(Trainer):
    """One that does not shuffle."""

    def _get_train_sampler(self, *_):
        return SequentialSampler(self.train_dataset)


def trainer_of(network, loader, folder, options=None, **parts):
    """A Trainer of the loader's batches; `options` are further TrainingArguments."""
    arguments = ALWAYS | loader.options() | (options or {})
    kind = Trainer
    if not loader.request.shuffle:
        if _IN_ORDER.keys() <= KNOWN:
            arguments |= _IN_ORDER
        else:
            kind = TrainerInOrder
    return kind(network, TrainingArguments(folder, **arguments), **parts)
