"""Training in PyTorch: the flags, the input and the step of every workload.

A workload's own parts, such as its model, are in a module each.
"""

import os

import torch

import pytorch_fashion_mnist_cnn
import pytorch_resnet50
import training_script
from block_clock import BlockClock

MODULES = {
    module.workload.NAME: module
    for module in (pytorch_fashion_mnist_cnn, pytorch_resnet50)
}


def parse(description, replicas):
    """The workload's module and the flags; `replicas` is their default number."""
    parser = training_script.argument_parser(description)
    parser.set_defaults(replicas=replicas)
    add_flags(parser)
    for module in MODULES.values():
        module.add_flags(parser)
    arguments = parser.parse_args()
    module = MODULES[arguments.workload]
    training_script.check(parser, arguments, module.workload)
    if replicas == 1 and arguments.replicas != 1:
        parser.error(f"one process is one replica, got --replicas {arguments.replicas}")
    return module, arguments


def add_flags(parser):
    add = parser.add_argument
    add("--workload", choices=sorted(MODULES), default="fashion_mnist_cnn")
    add("--no-channels-last", dest="channels_last", action="store_false")
    add("--compile", action="store_true", help="torch.compile the model (Inductor)")
    add(
        "--steps-per-loss", type=int, default=10, help="steps between reads of the loss"
    )


def make_model(module, arguments):
    """The model as Keras builds it: Glorot-uniform kernels, biases of 0."""
    torch.manual_seed(arguments.seed)
    model = module.make_model()
    for layer in model.modules():
        if isinstance(layer, torch.nn.Conv2d | torch.nn.Linear):
            torch.nn.init.xavier_uniform_(layer.weight)
            if layer.bias is not None:
                torch.nn.init.zeros_(layer.bias)
    if arguments.channels_last:
        model = model.to(memory_format=torch.channels_last)
    return torch.compile(model) if arguments.compile else model


def load(module, arguments, part):
    """Images [n, c, h, w], laid out as the model wants them, and labels [n]."""
    images, labels = map(torch.from_numpy, module.load(arguments, part))
    images = images.permute(0, 3, 1, 2)
    if not arguments.channels_last:
        images = images.contiguous()
    return images, labels


def batches(data, arguments, rank, epoch, drop_remainder):
    """This rank's part of each global batch of a freshly shuffled epoch.

    Every rank draws the same permutation. Of a last batch of n images over N ranks the
    first n % N ranks get one more, as MirroredStrategy divides it.
    """
    images, labels = data
    generator = torch.Generator().manual_seed(arguments.seed + epoch)
    order = torch.randperm(len(labels), generator=generator)
    for batch in order.split(arguments.global_batch_size):
        if drop_remainder and len(batch) < arguments.global_batch_size:
            return
        mine = batch.tensor_split(arguments.replicas)[rank]
        yield images[mine], labels[mine], len(batch)


def endless_batches(data, arguments, rank):
    epoch = 0
    while True:
        yield from batches(data, arguments, rank, epoch, drop_remainder=True)
        epoch += 1


def make_step(model, optimizer, world_size):
    """One training step; gives the replica's share of the global batch's mean loss.

    DistributedDataParallel averages gradients over ranks, so the sum of the examples'
    losses is divided by the global batch and multiplied by the number of ranks.
    """

    def step(images, labels, global_size):
        optimizer.zero_grad(set_to_none=True)
        logits = model(images)
        loss = torch.nn.functional.cross_entropy(logits, labels, reduction="sum")
        loss = loss / global_size
        (loss * world_size if world_size > 1 else loss).backward()
        optimizer.step()
        return loss.detach()

    return step


def train_steps(step, data, arguments, rank, clock):
    """Warm-up and timed blocks; gives this rank's share of each step's loss."""
    losses, stream = [], endless_batches(data, arguments, rank)
    while len(losses) < clock.training_steps:
        pending = [step(*next(stream)) for _ in range(arguments.steps_per_loss)]
        losses.extend(loss.item() for loss in pending)
        clock.steps_done(arguments.steps_per_loss)
    return losses


def train_epochs(step, data, arguments, rank, clock):
    """Whole epochs, the partial batch included; gives each epoch's mean loss."""
    means = []
    for epoch in range(arguments.epochs):
        stream = batches(data, arguments, rank, epoch, drop_remainder=False)
        losses = [step(*batch) for batch in stream]
        means.append(float(sum(losses)) / len(losses))
        clock.epoch_done()
    return means


def train(step, data, arguments, rank):
    """Runs what the flags ask for; gives the losses and the samples of images/s."""
    clock = BlockClock(arguments, len(data[1]))
    run = train_epochs if arguments.epochs else train_steps
    losses = run(step, data, arguments, rank, clock)
    return losses, clock.samples


def settings(module, model, arguments):
    """What is reported beside the figures."""
    more = {"channels_last": arguments.channels_last, "compile": arguments.compile}
    if module is pytorch_resnet50:
        more["image_size"] = arguments.image_size
    if arguments.epochs:
        images, labels = load(module, arguments, "test")
        model.eval()
        with torch.no_grad():
            right = model(images).argmax(1) == labels
        more["test_accuracy"] = right.float().mean().item()
    return more


def versions():
    return {"torch": torch.__version__, "cpu": torch.backends.cpu.get_cpu_capability()}


def set_threads(count):
    os.environ["OMP_NUM_THREADS"] = str(count)
    torch.set_num_threads(count)
