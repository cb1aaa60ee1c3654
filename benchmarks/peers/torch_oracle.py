"""The losses of exact_fixture's training, by PyTorch in double precision.

An independent oracle, without TensorFlow: the same weights, the same batches and
Adam as Keras computes it, in float64, so that what differs from it by more than float
rounding is wrong. Prints JSON: {"losses": [...], "versions": {...}}.

  torch_oracle.py --steps 13 --batch-size 16
"""

import argparse
import json

import torch
from torch.nn import functional

from benchmarks.peers import exact_fixture
from benchmarks.peers.workloads import fashion_mnist_cnn as workload

BETA_1, BETA_2 = 0.9, 0.999


def logits(variables, images):
    """The model over NHWC images and Keras-shaped variables."""
    conv1, bias1, conv2, bias2, dense1, bias3, dense2, bias4 = variables
    x = images.permute(0, 3, 1, 2)
    for kernel, bias in ((conv1, bias1), (conv2, bias2)):
        x = functional.relu(functional.conv2d(x, kernel.permute(3, 2, 0, 1), bias))
        x = functional.max_pool2d(x, 2)
    x = x.permute(0, 2, 3, 1).flatten(1)  # Keras flattens height, width, channels.
    return functional.relu(x @ dense1 + bias3) @ dense2 + bias4


def adam_step(variable, moments, step):
    """Keras's Adam: epsilon is added to the uncorrected root. `step` counts from 1."""
    m, v = moments
    m += (variable.grad - m) * (1 - BETA_1)
    v += (variable.grad**2 - v) * (1 - BETA_2)
    rate = workload.LEARNING_RATE * (1 - BETA_2**step) ** 0.5 / (1 - BETA_1**step)
    variable -= rate * m / (v.sqrt() + workload.EPSILON)
    variable.grad = None


def train(steps, batch_size):
    variables = [torch.from_numpy(w).double() for w in exact_fixture.weights()]
    moments = [(torch.zeros_like(v), torch.zeros_like(v)) for v in variables]
    losses = []
    for step in range(steps):
        for variable in variables:
            variable.requires_grad_(True)
        images, labels = map(torch.from_numpy, exact_fixture.batch(step, batch_size))
        loss = functional.cross_entropy(logits(variables, images.double()), labels)
        loss.backward()
        losses.append(loss.item())
        with torch.no_grad():
            for variable, moment in zip(variables, moments, strict=True):
                adam_step(variable, moment, step + 1)
    return losses


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=13)
    parser.add_argument("--batch-size", type=int, default=16)
    arguments = parser.parse_args()
    losses = train(arguments.steps, arguments.batch_size)
    print(json.dumps({"losses": losses, "versions": {"torch": torch.__version__}}))


if __name__ == "__main__":
    main()
