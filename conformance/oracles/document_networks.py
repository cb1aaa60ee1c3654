"""What the networks of the documents learn, by PyTorch's gradients in float64 and Adam as Keras documents it.

    python -m conformance.oracles.document_networks          # with the frameworks' environment

prints the numbers that cases/training/document_networks.json expects, computed from its literals without replicas.
"""

import json
import math
import sys

import torch
from torch.nn import functional

from tools import source_tree

CASES = "conformance/cases/training/document_networks.json"
FIRST_RATE = 0.015625
BETAS, EPSILON = (0.9, 0.999), 1e-7


class Adam:
    """Keras's: epsilon is added to the root before the bias of either moment is corrected."""

    def __init__(self, weights):
        self._weights = weights
        self._moments = [(torch.zeros_like(weight), torch.zeros_like(weight)) for weight in weights]
        self._steps = 0

    def step(self, rate):
        self._steps += 1
        corrected = rate * math.sqrt(1 - BETAS[1] ** self._steps) / (1 - BETAS[0] ** self._steps)
        for weight, (mean, square) in zip(self._weights, self._moments, strict=True):
            mean.lerp_(weight.grad, 1 - BETAS[0])
            square.lerp_(weight.grad**2, 1 - BETAS[1])
            weight.data -= corrected * mean / (square.sqrt() + EPSILON)


def convolution(images, kernel, bias):
    """Of images with the channels first, a kernel with them last."""
    return functional.max_pool2d(functional.relu(functional.conv2d(images, kernel.permute(3, 2, 0, 1), bias)), 2)


def dense_layers(rows, weights):
    """ReLU between them."""
    *hidden, (kernel, bias) = zip(weights[::2], weights[1::2], strict=True)
    for inner_kernel, inner_bias in hidden:
        rows = functional.relu(rows @ inner_kernel + inner_bias)
    return rows @ kernel + bias


def flattened(images):
    return images.permute(0, 2, 3, 1).flatten(1)


def two_convolutions(images, weights):
    images = convolution(convolution(images, *weights[:2]), *weights[2:4])
    return dense_layers(flattened(images), weights[4:])


def one_convolution(images, weights):
    return dense_layers(flattened(convolution(images, *weights[:2])), weights[2:])


class Training:
    """A network with these first weights, and what it is measured by."""

    def __init__(self, network, weights):
        self._network = network
        self.weights = [torch.tensor(weight, dtype=torch.float64, requires_grad=True) for weight in weights]
        self._optimizer = Adam(self.weights)

    def measure(self, inputs, labels):
        """Loss and accuracy."""
        outputs = self._network(inputs, self.weights)
        accuracy = (outputs.argmax(1) == labels).double().mean().item()
        return functional.cross_entropy(outputs, labels), accuracy

    def _backward(self, inputs, labels):
        for weight in self.weights:
            weight.grad = None
        loss, accuracy = self.measure(inputs, labels)
        loss.backward()
        return loss.item(), accuracy

    def step(self, inputs, labels, rate=FIRST_RATE):
        """One of Adam. Loss and accuracy before it."""
        before = self._backward(inputs, labels)
        self._optimizer.step(rate)
        return before

    def descend(self, inputs, labels, rate):
        """A step of gradient descent. The loss before it."""
        loss, _ = self._backward(inputs, labels)
        for weight in self.weights:
            weight.data -= rate * weight.grad
        return loss

    def evaluate(self, inputs, labels):
        loss, accuracy = self.measure(inputs, labels)
        return {"loss": loss.item(), "accuracy": accuracy}


def mean(numbers):
    return sum(numbers) / len(numbers)


def columns(pairs):
    return [list(column) for column in zip(*pairs, strict=True)]


class Numbers:
    """What the cases' literals come to."""

    def __init__(self, literals):
        self._literals = literals
        pixels = torch.tensor(literals["images"], dtype=torch.float64)
        self._images = (pixels / 255).permute(0, 3, 1, 2)
        self._labels = torch.tensor(literals["labels"])

    def _named(self, *names):
        return [self._literals[name] if isinstance(name, str) else name for name in names]

    def _two_convolutions(self):
        eighths, quarters = [0.125] * 2, [0.25] * 4
        weights = ("first_kernel", eighths, "second_kernel", eighths, "hidden_kernel", quarters, "output_kernel")
        return self._named(*weights, [0.0] * 3)

    def loop(self):
        """Two epochs of two steps, each of all images."""
        training = Training(two_convolutions, self._two_convolutions())
        epochs, tests = [], []
        for _ in range(2):
            epochs.append(columns(training.step(self._images, self._labels) for _ in range(2)))
            tests.append(training.evaluate(self._images, self._labels))
        return {
            "loop_losses": [losses for losses, _ in epochs],
            "loop_means": [mean(losses) for losses, _ in epochs],
            "loop_accuracy": [mean(accuracies) for _, accuracies in epochs],
            "loop_test_losses": [test["loss"] for test in tests],
            "loop_test_accuracy": [test["accuracy"] for test in tests],
            "loop_first_bias": training.weights[1].tolist(),
            "loop_output_bias": training.weights[-1].tolist(),
        }

    def graph(self):
        """Three steps of gradient descent, whose loss takes for logits what a softmax gives."""
        softmax = torch.nn.Softmax(dim=1)
        training = Training(lambda *given: softmax(two_convolutions(*given)), self._two_convolutions())
        steps = [training.descend(self._images, self._labels, 0.5) for _ in range(3)]
        return {"graph_losses": steps, "graph_output_bias": training.weights[-1].tolist()}

    def fit(self):
        """Two epochs of two steps, at two rates."""
        weights = ("first_kernel", [0.125] * 2, "flat_kernel", [0.25] * 4, "output_kernel", [0.0] * 3)
        training = Training(one_convolution, self._named(*weights))
        epochs, tests = [], []
        for rate in (FIRST_RATE, FIRST_RATE / 2):
            epochs.append(columns(training.step(self._images, self._labels, rate) for _ in range(2)))
            tests.append(training.evaluate(self._images, self._labels))
        return {
            "fit_means": [mean(losses) for losses, _ in epochs],
            "fit_accuracy": [mean(accuracies) for _, accuracies in epochs],
            "fit_evaluated_first": tests[0],
            "fit_evaluated": tests[1],
            "fit_output_bias": training.weights[-1].tolist(),
        }

    def dense(self):
        """Two epochs of one step, and other rows that validate."""
        weights = ("row_kernel", [0.25] * 4, "inner_kernel", [0.25] * 4, "output_kernel", [0.0] * 3)
        training = Training(dense_layers, self._named(*weights))
        rows, others = (torch.tensor(self._literals[name], dtype=torch.float64) for name in ("rows", "val_rows"))
        epochs, tests = [], []
        for _ in range(2):
            epochs.append(training.step(rows, self._labels))
            tests.append(training.evaluate(others, self._labels))
        return {
            "mlp_losses": [loss for loss, _ in epochs],
            "mlp_accuracy": [accuracy for _, accuracy in epochs],
            "mlp_val_losses": [test["loss"] for test in tests],
            "mlp_val_accuracy": [test["accuracy"] for test in tests],
            "mlp_evaluated": training.evaluate(rows, self._labels),
            "mlp_output_bias": training.weights[-1].tolist(),
        }


def main():
    text = "\n".join(source_tree.read_lines(source_tree.find_root(), CASES))
    numbers = Numbers(json.loads(text)["literals"])
    print("PyTorch", torch.__version__)
    for found in (numbers.loop(), numbers.graph(), numbers.fit(), numbers.dense()):
        for name, value in found.items():
            print(name, json.dumps(value))


if __name__ == "__main__":
    sys.exit(main())
