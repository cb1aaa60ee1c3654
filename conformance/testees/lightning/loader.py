"""The loaders of `loader.create`, as a user hands them to a Trainer."""

import pytorch_lightning as pl
import torch
from torch.utils import data

from conformance.testees.lightning.fit import Fit, Fitted
from conformance.testees.lightning.trainer import world_size
from conformance.testees.torch_ranks.dataset import NO_BUFFER, dataset_of


class Loader:
    """`request` is a LoaderRequest; `is_seeded` where a program says its seed.

    A loader for training that is not to be shuffled has a DistributedSampler of its own, as
    the documents of `use_distributed_sampler` say: the Trainer's shuffles.
    """

    def __init__(self, request, is_seeded):
        request.refuse(shuffle_buffer=NO_BUFFER)
        self.request = request
        self._is_seeded = is_seeded
        self._fit = None

    def for_training(self, label_dtype=None):
        self.request.refuse_value("uneven", {"keep": "its samplers for training pad, or drop"})
        examples = dataset_of(self.request, label_dtype)
        if self.request.shuffle and self.request.uneven in ("default", "pad"):
            return self._loader(examples, shuffle=True)
        return self._loader(examples, sampler=self._sampler(examples))

    def for_evaluation(self, label_dtype=None):
        """Each example once where the Trainer's sampler does so, in their order."""
        examples = dataset_of(self.request, label_dtype)
        sampler = self._sampler(examples) if self.request.uneven == "drop" else None
        return self._loader(examples, sampler=sampler)

    def read_pass(self):
        """This rank's batches of the next pass: a list of their inputs."""
        fit = self._reading()
        before = fit.epochs
        while fit.epochs == before and not fit.is_over:
            fit.go_on()
        return fit.module.take()

    def length(self):
        return self._reading().trainer.num_training_batches

    def _reading(self):
        """A fit that learns nothing, up to where its loader is there."""
        if self._fit is None:
            self._fit = Fit(Reader(), {})
            self._fit.begin()
            self._fit.loader = self.for_training()
            self._fit.go_on()
        return self._fit

    def _loader(self, examples, **order):
        if self._is_seeded:
            # From there the Trainer's samplers have it, and the processes that read.
            pl.seed_everything(self.request.seed, workers=self.request.workers > 0)
        batch = self.request.replica_batch(world_size())
        return data.DataLoader(
            examples, batch, drop_last=self.request.drop_last, num_workers=self.request.workers, **order
        )

    def _sampler(self, examples):
        request = self.request
        return data.DistributedSampler(
            examples, shuffle=request.shuffle, seed=request.seed, drop_last=request.uneven == "drop"
        )


class Reader(Fitted):
    """Keeps what it is given. Its one weight is there since a fit has something to train."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(()))
        self._inputs = []

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.0)

    def on_train_start(self):
        self.fit.pause()

    def training_step(self, batch, batch_idx):
        self._inputs.append(batch[0])
        # intents.md (loader.elements): it learns nothing
        return 0 * self.weight

    def take(self):
        taken, self._inputs = self._inputs, []
        return taken
