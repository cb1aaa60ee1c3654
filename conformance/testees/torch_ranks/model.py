"""The model of `model.create` as a user of PyTorch writes it: a module and its loss."""

import torch
from torch import nn

ACTIVATIONS = {"relu": nn.ReLU, "sigmoid": nn.Sigmoid, "tanh": nn.Tanh}
# Of a layer, what a program calls its weights, and PyTorch. A kernel stands transposed.
WEIGHTS = {"kernel": "weight", "bias": "bias", "table": "weight", "gamma": "weight", "beta": "bias"}
BUFFERS = {"moving_mean": "running_mean", "moving_variance": "running_var", "seen": "seen"}


class Model(nn.Module):
    """Layers one after the other; `request` is a ModelRequest."""

    def __init__(self, request):
        super().__init__()
        self.request = request
        self.layers = nn.ModuleList(_layer(layer) for layer in request.layers)
        self.activations = [_activation(layer) for layer in request.layers]
        self.ignored = -100 if request.ignored is None else request.ignored

    def forward(self, inputs):
        for place, layer in self.request.used_layers:
            pass_through = self._pass_positive if "where" in layer else self._pass
            inputs = pass_through(place, inputs)
        return inputs

    def _pass(self, place, inputs):
        return self.activations[place](self.layers[place](inputs))

    def _pass_positive(self, place, inputs):
        """Plain Python, as the tutorial on dynamic control flow has it: a layer is run, or is not."""
        passing = inputs[:, 0] > 0
        if not passing.any():
            return inputs
        outputs = inputs.clone()
        outputs[passing] = self._pass(place, inputs[passing]).to(inputs.dtype)
        return outputs

    def loss(self, outputs, labels):
        """The mean over a rank's own examples, or tokens that count, and the penalty."""
        loss = self.data_loss(outputs, labels)
        # intents.md (model.create, l2)
        return loss + self.penalty() if self.request.l2 else loss

    def data_loss(self, outputs, labels, reduction="mean"):
        if not self.request.has_class_numbers:
            return nn.functional.mse_loss(outputs, labels.float(), reduction=reduction)
        logits, classes = outputs.flatten(0, -2), labels.flatten()
        return nn.functional.cross_entropy(logits, classes, ignore_index=self.ignored, reduction=reduction)

    def tokens_in(self, labels):
        """How many of these tokens count, as a tensor."""
        # https://huggingface.co/docs/accelerate/usage_guides/gradient_accumulation (samples of variable size)
        return (labels != self.ignored).sum()

    def penalty(self):
        kernels = [layer.weight for layer in self.layers if isinstance(layer, nn.Linear)]
        # intents.md (model.create, l2)
        return self.request.l2 * sum((kernel**2).sum() for kernel in kernels)


def parameters_of(model, value_of=lambda parameter: parameter):
    """As `model.parameters` gives them, of a Model that nothing wraps any more.

    `value_of(parameter)` is what stands for each: itself, or its gradient.
    """
    described = zip(model.layers, model.request.layers)
    return [_weights(layer, request, value_of) for layer, request in described]


def buffers_of(model):
    """As one entry of `model.buffers`."""
    return [
        {name: buffers[theirs].clone() for name, theirs in BUFFERS.items() if theirs in buffers}
        for buffers in (dict(layer.named_buffers()) for layer in model.layers)
    ]


def tensor_of(rows, dtype):
    return torch.tensor(rows, dtype=getattr(torch, dtype))


def _weights(layer, request, value_of):
    found = {}
    for name, theirs in WEIGHTS.items():
        if name in request:
            value = value_of(getattr(layer, theirs))
            turned = value.T if name == "kernel" and value is not None else value
            found[name] = None if turned is None else turned.detach().clone()
    return found


def _layer(request):
    layer = _MAKERS[request["kind"]](request)
    with torch.no_grad():
        for name, theirs in WEIGHTS.items():
            if name in request:
                value = torch.tensor(request[name], dtype=torch.float32)
                getattr(layer, theirs).copy_(value.T if name == "kernel" else value)
    return layer.requires_grad_(request.get("trainable", True))


def _dense(request):
    inputs, outputs = len(request["kernel"]), len(request["kernel"][0])
    return nn.Linear(inputs, outputs, bias="bias" in request)


def _embedding(request):
    return nn.Embedding(len(request["table"]), len(request["table"][0]))


def _batch_normalization(request):
    # PyTorch's momentum is what a batch adds, not what the moments keep.
    # https://docs.pytorch.org/docs/stable/generated/torch.nn.BatchNorm1d.html (momentum)
    momentum, epsilon = 1 - request.get("momentum", 0.9), request.get("epsilon", 0.001)
    return nn.BatchNorm1d(len(request["gamma"]), eps=epsilon, momentum=momentum)


class Centering(nn.Module):
    """Its own numbers are buffers, which a module registers: DistributedDataParallel broadcasts them."""

    def __init__(self, size, momentum):
        super().__init__()
        self.momentum = momentum
        self.register_buffer("seen", torch.zeros(()))
        self.register_buffer("running_mean", torch.zeros(size))

    def forward(self, inputs):
        if not self.training:
            return inputs - self.running_mean  # intents.md (model.create, centering)
        with torch.no_grad():
            # intents.md (model.create, centering)
            self.seen += len(inputs)
            # intents.md (model.create, centering)
            self.running_mean.lerp_(inputs.float().mean(0), 1 - self.momentum)
        return inputs


def _centering(request):
    return Centering(request["size"], request.get("momentum", 0.9))


def _again(request):
    return nn.Identity()  # in the place of a layer that is passed again


_MAKERS = {
    "again": _again,
    "batch_normalization": _batch_normalization,
    "centering": _centering,
    "dense": _dense,
    "embedding": _embedding,
}


def _activation(request):
    return ACTIVATIONS.get(request.get("activation"), nn.Identity)()
