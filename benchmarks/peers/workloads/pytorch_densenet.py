"""The model, the optimizer and the images of densenet in PyTorch."""

import torch
from torch import nn

from benchmarks.peers.workloads import densenet as workload
from benchmarks.peers.workloads import pytorch_fashion_mnist_cnn

load = pytorch_fashion_mnist_cnn.load


def add_flags(_parser):
    """It has none of its own."""


def normalize_and_convolve(inputs, outputs, size):
    return nn.Sequential(
        nn.BatchNorm2d(inputs, eps=workload.EPSILON, momentum=0.01),
        nn.ReLU(inplace=True),
        nn.Conv2d(inputs, outputs, size, padding=size // 2, bias=False),
    )


class DenseLayer(nn.Module):
    """The channels of its input, and those that it adds."""

    def __init__(self, inputs):
        super().__init__()
        inner = workload.BOTTLENECK * workload.GROWTH
        self.narrow = normalize_and_convolve(inputs, inner, 1)
        self.grow = normalize_and_convolve(inner, workload.GROWTH, 3)

    def forward(self, x):
        return torch.cat([x, self.grow(self.narrow(x))], 1)


def make_model():
    channels = 2 * workload.GROWTH
    layers = [nn.Conv2d(1, channels, 3, padding=1, bias=False)]
    for block, depth in enumerate(workload.BLOCKS):
        for _ in range(depth):
            layers.append(DenseLayer(channels))
            channels += workload.GROWTH
        if block + 1 < len(workload.BLOCKS):
            layers += [normalize_and_convolve(channels, channels // 2, 1), nn.AvgPool2d(2)]
            channels //= 2
    layers += [nn.BatchNorm2d(channels, eps=workload.EPSILON, momentum=0.01), nn.ReLU(inplace=True)]
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, 10))


def make_optimizer(model, _arguments):
    """The penalty's gradient, 2 * 1e-4 of the weight, is PyTorch's weight decay."""
    kernels = [layer.weight for layer in model.modules() if isinstance(layer, nn.Conv2d)]
    known = set(kernels)
    others = [one for one in model.parameters() if one not in known]
    return torch.optim.SGD(
        [{"params": kernels, "weight_decay": 2 * workload.PENALTY}, {"params": others}],
        workload.LEARNING_RATE,
        momentum=workload.MOMENTUM,
        nesterov=True,
        fused=True,
    )
