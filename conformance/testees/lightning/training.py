"""A training: a fit that goes on from step to step of a program."""

from conformance.testees.lightning.fit import Fit
from conformance.testees.lightning.learner import Learner
from conformance.testees.lightning.trainer import precision_options, trainer_of, training_options
from conformance.testees.python.errors import Unsupported


class Training:
    """`model` is a Model, `request` a TrainingRequest."""

    def __init__(self, model, request):
        self.model = model
        self.request = request
        self.learner = Learner(model, request)
        self._fit = None
        self._loader = None

    @property
    def fit(self):
        """The Fit, begun."""
        if self._fit is None:
            self._begin()
        return self._fit

    def resume(self, checkpoint):
        self._begin(checkpoint)

    def train_batches(self, loader, count):
        # intents.md (train.batches)
        end = self.fit.batches + count
        self._train(loader, lambda: self.fit.batches >= end)

    def train_epochs(self, loader, epochs, stop_after):
        def is_done():
            stopped = stop_after is not None and self.fit.batches >= stop_after
            return stopped or self.fit.epochs >= epochs

        self._train(loader, is_done)

    def evaluate(self, loader, metrics):
        """Within the fit if it comes after a batch, else by a separate Trainer."""
        batches = loader.for_evaluation(self.model.request.label_dtype)
        if self._can_validate(loader):
            self._fit.validation_loader, self._validation_loader = batches, loader
            self.learner.measure(metrics)
            found = self._fit.validate()
        else:
            learner = Learner(self.model, self.request)
            learner.measure(metrics)
            trainer = trainer_of(**precision_options(self.request))
            (found,) = trainer.validate(learner, batches, verbose=False)
        return {"loss": found["val_loss"], **{name: found[name] for name in metrics}}

    def _can_validate(self, loader):
        return self._fit and self._fit.can_validate and self._validation_loader in (None, loader)

    def _begin(self, checkpoint=None):
        self._fit = Fit(self.learner, training_options(self.request))
        self._loader = self._validation_loader = None
        self._fit.begin(checkpoint)

    def _train(self, loader, is_done):
        fit = self.fit
        if self._loader not in (None, loader):
            raise Unsupported("a fit trains on one loader, and the next fit begins again")
        if self._loader is None:
            self._loader = loader
            fit.loader = loader.for_training(self.model.request.label_dtype)
        while not (fit.is_over or is_done()):
            fit.go_on()
