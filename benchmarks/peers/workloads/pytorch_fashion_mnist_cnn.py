"""The model, the optimizer and the images of fashion_mnist_cnn in PyTorch."""

import torch

from benchmarks.peers.workloads import fashion_mnist_cnn as workload


def add_flags(_parser):
    """It has none of its own."""


def make_model():
    nn = torch.nn
    return nn.Sequential(
        nn.Conv2d(1, 32, 3),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 3),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(1600, 64),
        nn.ReLU(inplace=True),
        nn.Linear(64, 10),
    )


def make_optimizer(model, _arguments):
    return torch.optim.Adam(model.parameters(), workload.LEARNING_RATE, eps=workload.EPSILON, fused=True)


def load(arguments, part):
    """NHWC images and labels, as NumPy arrays; part is "train" or "test"."""
    return workload.load(arguments.data, {"train": "train", "test": "t10k"}[part])
