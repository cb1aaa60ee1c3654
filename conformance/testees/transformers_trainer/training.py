"""A training: a Trainer each time it goes on, which begins at the checkpoint of the one before."""

import inspect
import os

from transformers import Trainer

from conformance.testees.python.errors import Unsupported
from conformance.testees.python.intents import LoaderRequest
from conformance.testees.torch_ranks.optimizer import optimizer_of, schedule_of
from conformance.testees.transformers_trainer.interruption import Interruption
from conformance.testees.transformers_trainer.loader import IGNORED, Loader
from conformance.testees.transformers_trainer.network import Network, token_loss_of
from conformance.testees.transformers_trainer.trainers import trainer_of

# Since 4.46; before, the mean that a model gives is all that a Trainer knows.
_TAKES_LOSS = "compute_loss_func" in inspect.signature(Trainer).parameters
# More passes than a program of batches has.
_ENDLESS = 1000


class Training:
    """`model` is the user's module, `request` a TrainingRequest; checkpoints go to `folder`."""

    def __init__(self, model, request, folder):
        self.model = model
        self.request = request
        self.network = Network(model)
        model.ignored = IGNORED
        self.trainer = None  # the last one that trained
        self.checkpoint = None
        self.gradients = None
        self._batches = 0  # of all passes so far; None where a checkpoint knows it
        self._folder = folder
        self._skips_batches = True
        self._loader = None  # that it trains on

    def train(self, loader, epochs, stop_after=None):
        """Up to so many passes, or batches, earlier ones included."""
        self._train(loader, epochs, Interruption(stop_after))

    def train_batches(self, loader, count):
        """So many batches more, of as many passes as they take."""
        if self._batches is None:
            interruption = Interruption(count, behind_checkpoint=True)
        else:
            # intents.md (train.batches)
            interruption = Interruption(self._batches + count)
        self._train(loader, _ENDLESS, interruption)

    def _train(self, loader, epochs, interruption):
        if loader.has_epoch:
            raise Unsupported("a Trainer numbers its passes by itself, from 0")
        if self._loader not in (None, loader):
            raise Unsupported("a Trainer trains on one dataset, and goes on in that alone")
        self._loader = loader
        self._begin(loader, epochs, interruption)
        self.gradients, self._batches = interruption.gradients, interruption.batches
        checkpoint = os.path.join(self._folder, f"checkpoint-{self.trainer.state.global_step}")
        if os.path.isdir(checkpoint):
            self.checkpoint = checkpoint

    def resume(self, checkpoint, skips_batches):
        """Loads a checkpoint, as a training of no pass does, for what is to come."""
        self.checkpoint, self._batches = checkpoint, None
        self._skips_batches = skips_batches
        self._begin(Loader(LoaderRequest(inputs=[[0.0]], labels=[[0.0]], batch=1), 1), 0)

    def next_rate(self):
        """The learning rate of the next step."""
        if self.trainer is None:
            return self.request.first_rate
        return self.trainer.lr_scheduler.get_last_lr()[0]

    def measuring(self, loader, **parts):
        """A Trainer that measures this model."""
        labelled = loader.examples(self.model.request.ignored)
        return self._trainer(loader, {}, eval_dataset=labelled, **parts)

    def _begin(self, loader, epochs, *callbacks):
        optimizer = optimizer_of(self.model, self.request)
        self.trainer = self._trainer(
            loader,
            {"num_train_epochs": epochs, "ignore_data_skip": not self._skips_batches},
            train_dataset=loader.examples(self.model.request.ignored),
            optimizers=(optimizer, schedule_of(optimizer, self.request)),
            callbacks=list(callbacks),
        )
        self.trainer.train(resume_from_checkpoint=self.checkpoint)

    def _trainer(self, loader, options, **parts):
        if self.model.request.over == "tokens" and _TAKES_LOSS:
            parts["compute_loss_func"] = token_loss_of(self.model)
        options = self._options() | options
        return trainer_of(self.network, loader, self._folder, options, **parts)

    def _options(self):
        """The TrainingArguments of the request; what is not asked for has its default."""
        options = {
            "gradient_accumulation_steps": self.request.accumulate,
            "max_grad_norm": self.request.clip_norm or 0.0,
            "bf16": self.request.precision == "mixed_bfloat16",
        }
        if self.request.find_unused:
            options["ddp_find_unused_parameters"] = True
        if self.request.static_graph:
            options["ddp_static_graph"] = True
        return options
