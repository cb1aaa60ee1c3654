"""Evaluation, and prediction by a Trainer of its own."""

import os

import torch
from pytorch_lightning.callbacks import BasePredictionWriter

from conformance.testees.lightning.learner import Learner
from conformance.testees.lightning.trainer import precision_options, trainer_of
from conformance.testees.python.step_table import StepTable

steps = StepTable()


@steps.step("train.evaluate")
def evaluate(call):
    loader = call.find("loader")
    loader.request.refuse_value("uneven", {"keep": "its sampler for evaluation pads, or drops"})
    return call.find("of").evaluate(loader, call.argument("metrics", []))


@steps.step("train.predict")
def predict(call):
    training, loader = call.find("of"), call.find("loader").for_evaluation()
    writer = Writer(call.path(".predictions"))
    trainer = trainer_of(callbacks=[writer], **precision_options(training.request))
    trainer.predict(Learner(training.model, training.request), loader, return_predictions=False)
    trainer.strategy.barrier()
    return writer.read(trainer.world_size)


class Writer(BasePredictionWriter):
    """Each rank's outputs in a file of its own, with the places of their examples."""

    def __init__(self, folder):
        super().__init__(write_interval="epoch")
        os.makedirs(folder, exist_ok=True)
        self._folder = folder

    def write_on_epoch_end(self, trainer, module, predictions, batch_indices):
        places = [place for batch in batch_indices[0] for place in batch]
        # https://lightning.ai/docs/pytorch/stable/api/lightning.pytorch.callbacks.BasePredictionWriter.html
        torch.save((places, torch.cat(predictions)), self._file(trainer.global_rank))

    def read(self, ranks):
        """The outputs of all ranks, in the order of their examples' places; who predicts one twice gives both."""
        found = []
        for rank in range(ranks):
            places, outputs = torch.load(self._file(rank))
            # https://lightning.ai/docs/pytorch/stable/api/lightning.pytorch.callbacks.BasePredictionWriter.html
            found += zip(places, outputs)
        # https://lightning.ai/docs/pytorch/stable/api/lightning.pytorch.callbacks.BasePredictionWriter.html
        return [output for _, output in sorted(found, key=lambda pair: pair[0])]

    def _file(self, rank):
        return os.path.join(self._folder, f"{rank}.pt")
