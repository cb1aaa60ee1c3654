"""The LightningModule of a training."""

import torch
import torchmetrics
from torch import nn

from conformance.testees.lightning.fit import Fitted
from conformance.testees.torch_ranks.model import parameters_of
from conformance.testees.torch_ranks.optimizer import optimizer_of, schedule_of


class Learner(Fitted):
    """`model` is a Model, `request` a TrainingRequest."""

    logged = ("loss",)

    def __init__(self, model, request):
        super().__init__()
        self.model = model
        self.request = request
        self.metrics = nn.ModuleDict()
        self.gradients = None

    def measure(self, metrics):
        """What is measured in addition to the loss: names of train.evaluate."""
        if list(self.metrics) != metrics:  # a Trainer knows a metric by where it first stood
            self.metrics = nn.ModuleDict({name: _METRICS[name](self.model) for name in metrics})

    def configure_optimizers(self):
        optimizer = optimizer_of(self.model, self.request)
        if not self.request.rates:
            return optimizer
        schedule = {"scheduler": schedule_of(optimizer, self.request), "interval": "step"}
        return {"optimizer": optimizer, "lr_scheduler": schedule}

    def training_step(self, batch, batch_idx):
        inputs, labels = batch
        losses = [self.model.loss(self.model(inputs), labels) for _ in range(self.request.calls)]
        # intents.md (train.create, calls)
        loss = sum(losses) / len(losses)
        self.log("loss", loss, on_step=False, on_epoch=True, sync_dist=True)
        return loss

    def on_after_backward(self):
        self._keep_gradients()

    def on_before_optimizer_step(self, optimizer):
        self._keep_gradients()  # without the scale that they have had before

    def validation_step(self, batch, batch_idx):
        inputs, labels = batch
        outputs = self.model(inputs)
        self.log("val_loss", self.model.data_loss(outputs, labels), sync_dist=True)
        for name, metric in self.metrics.items():
            metric(outputs.movedim(-1, 1), labels)  # the axis of classes comes after the examples
            self.log(name, metric)

    def predict_step(self, batch, batch_idx):
        return self.model(batch[0])

    def _keep_gradients(self):
        self.gradients = parameters_of(self.model, lambda parameter: parameter.grad)


class Count(torchmetrics.Metric):
    """How many examples there were: a metric of a user's own, as torchmetrics has them made."""

    def __init__(self):
        super().__init__()
        self.add_state("count", default=torch.zeros(()), dist_reduce_fx="sum")

    def update(self, outputs, labels):
        # https://lightning.ai/docs/torchmetrics/stable/pages/implement.html (update)
        self.count += len(outputs)

    def compute(self):
        return self.count


def _accuracy(model):
    ignored = model.request.ignored
    classes = model.layers[model.request.used_layers[-1][0]].out_features
    return torchmetrics.Accuracy(task="multiclass", num_classes=classes, ignore_index=ignored)


_METRICS = {"accuracy": _accuracy, "count": lambda model: Count()}
