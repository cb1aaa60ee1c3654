"""The model, the optimizer and the images of resnet50 in PyTorch."""

import torch
from torch import nn

from benchmarks.peers.workloads import resnet50 as workload

BLOCKS = (3, 4, 6, 3)
EXPANSION = 4  # a block's outputs over its inner channels


def add_flags(parser):
    parser.add_argument("--image-size", type=int, default=224, help="resnet50: rows and columns (224)")


def convolve(inputs, outputs, size, stride=1):
    """A convolution without bias and its normalization."""
    padding = size // 2
    return [nn.Conv2d(inputs, outputs, size, stride, padding, bias=False), nn.BatchNorm2d(outputs)]


class Bottleneck(nn.Module):
    """1 x 1 down, 3 x 3, 1 x 1 up, and the input or a convolution of it added."""

    def __init__(self, inputs, inner, stride):
        super().__init__()
        outputs = EXPANSION * inner
        self.main = nn.Sequential(
            *convolve(inputs, inner, 1),
            nn.ReLU(inplace=True),
            *convolve(inner, inner, 3, stride),
            nn.ReLU(inplace=True),
            *convolve(inner, outputs, 1),
        )
        self.shortcut = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.Sequential(*convolve(inputs, outputs, 1, stride))

    def forward(self, x):
        return nn.functional.relu(self.main(x) + self.shortcut(x), inplace=True)


def make_model():
    layers = [*convolve(3, 64, 7, 2), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)]
    inputs = 64
    for stage, blocks in enumerate(BLOCKS):
        inner = 64 << stage
        for block in range(blocks):
            stride = 2 if stage > 0 and block == 0 else 1
            layers.append(Bottleneck(inputs, inner, stride))
            inputs = EXPANSION * inner
    layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten()]
    return nn.Sequential(*layers, nn.Linear(inputs, workload.CLASSES))


def make_optimizer(model, arguments):
    rate = workload.learning_rate(arguments.global_batch_size)
    return torch.optim.SGD(model.parameters(), rate, momentum=workload.MOMENTUM, fused=True)


def load(arguments, part):
    """NHWC images and labels, as NumPy arrays; part is "train" or "test"."""
    seed = arguments.seed + (part == "test")
    return workload.make_images(arguments.global_batch_size, arguments.image_size, seed=seed)
