"""A training as Keras's guides write it: compile, fit, evaluate, predict."""

import numpy as np

from conformance.testees.keras.intents.interruption import Interrupted, Interruption
from conformance.testees.tensorflow.intents.counter import Count
from conformance.testees.tensorflow.intents.model import loss_of
from conformance.testees.tensorflow.intents.optimizer import optimizer_of

METRICS = {"accuracy": lambda: "accuracy", "count": Count}


class Training:
    """A compiled model; `request` is a TrainingRequest, `described` a RequestedModel."""

    def __init__(self, described, request):
        self.request = request
        self.model = described.build(request.precision, request.sync_batch_norm)
        self.loss = loss_of(described.request, "sum_over_batch_size")
        self.optimizer = optimizer_of(request)
        self.epoch = 0
        self.losses = []
        self.interruption = Interruption()
        self._compile([])

    def fit_batches(self, loader, batches):
        """The next batches, read by the program and divided by fit."""
        read = []
        for left in reversed(range(batches)):
            read.append([column.numpy() for column in loader.next()])
            if left == 0 or len(read[-1][0]) < loader.global_batch:  # the last of a pass
                # intents.md (train.batches)
                columns = [np.concatenate(parts) for parts in zip(*read, strict=True)]
                data = dict(zip(("x", "y", "sample_weight"), columns))
                self._fit(**data, batch_size=loader.global_batch)
                read = []

    def fit_epochs(self, loader, epochs, most_batches=None):
        """Passes until there were so many, or an interruption after so many batches."""
        loader.leave()
        # intents.md (train.epoch, stop_after)
        self.interruption.expect(self.epoch * loader.length, most_batches)
        try:
            while self.epoch < epochs:
                # A pass that begins later is a dataset of its own.
                until = self.epoch + 1 if loader.begins_later else epochs
                self._fit(loader.begin(), epochs=until, initial_epoch=self.epoch)
                self._note_passes()
        except Interrupted:
            self._note_passes()

    def _note_passes(self):
        """Of the last fit those that came to their end."""
        # https://keras.io/api/models/model_training_apis/ (History)
        self.losses += self.model.history.history.get("loss", [])
        # https://keras.io/api/models/model_training_apis/ (History)
        self.epoch += len(self.model.history.epoch)

    def evaluate(self, loader, names):
        """{name: number}; metrics are given to compile."""
        if names:
            self._compile([METRICS[name]() for name in names])
        measured = self.model.evaluate(loader.begin(), return_dict=True, verbose=0)
        return {name: float(measured[name]) for name in ("loss", *names)}

    def predict(self, loader):
        return self.model.predict(loader.begin(), verbose=0).tolist()

    def _compile(self, metrics):
        self.model.compile(self.optimizer, self.loss, metrics=metrics)

    def _fit(self, *data, **options):
        options |= {"callbacks": [self.interruption], "shuffle": False, "verbose": 0}
        self.model.fit(*data, **options)
