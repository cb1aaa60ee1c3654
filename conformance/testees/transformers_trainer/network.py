"""A model as a Trainer needs it: its arguments and its result."""

from torch import nn


class Network(nn.Module):
    """Gives the logits, and the loss where it has the labels.

    A penalty is a part of what is trained on, not of what is measured.
    """

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, inputs, labels=None):
        logits = self.model(inputs)
        if labels is None:
            return {"logits": logits}
        loss = self.model.data_loss(logits, labels)
        # intents.md (model.create, l2)
        return {"loss": loss + self.model.penalty() if self.training else loss, "logits": logits}


class Echo(nn.Module):
    """Gives its inputs, of which a Trainer's `predict` makes what it makes of logits."""

    def forward(self, inputs):
        return {"logits": inputs}


def token_loss_of(model):
    """A `compute_loss_func`, as documented: a sum, over the tokens of all batches of a step."""

    def loss(outputs, labels, num_items_in_batch=None):
        losses = model.data_loss(outputs["logits"], labels, reduction="sum")
        if num_items_in_batch is None:
            num_items_in_batch = model.tokens_in(labels)
        # https://huggingface.co/docs/transformers/main_classes/trainer (compute_loss_func)
        loss = losses / num_items_in_batch
        # intents.md (model.create, l2)
        return loss + model.penalty() if model.training else loss

    return loss
