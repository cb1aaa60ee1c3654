"""Training in PyTorch: the flags, the input and the step of every workload.

A workload's own parts, such as its model, are in a module each.
"""

import math
import os

import torch

from benchmarks.peers import pytorch_device, training_script
from benchmarks.peers.block_clock import BlockClock
from benchmarks.peers.workloads import (
    pytorch_bert,
    pytorch_densenet,
    pytorch_fashion_mnist_cnn,
    pytorch_ncf,
    pytorch_nmt,
    pytorch_resnet50,
    pytorch_small,
)

CUDA_GRAPHS = "reduce-overhead"  # torch.compile's name for it

MODULES = {
    module.workload.NAME: module for module in (
        pytorch_bert.real,
        pytorch_bert.small,
        pytorch_densenet,
        pytorch_fashion_mnist_cnn,
        pytorch_ncf,
        pytorch_nmt.real,
        pytorch_nmt.small,
        pytorch_resnet50,
        pytorch_small.densenet,
        pytorch_small.ncf,
    )
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
    if arguments.device == "gpu":
        use_gpu(parser, arguments, replicas)
    return module, arguments


def use_gpu(parser, arguments, replicas):
    """Exits with a message if it cannot be used. The host then waits for it only
    where a block of steps ends."""
    if replicas != 1:
        parser.error("--device gpu is for one replica in one process: pytorch_single")
    if why := pytorch_device.why_no_gpu():
        parser.error(f"--device gpu: {why}")
    steps = arguments.steps
    arguments.steps_per_loss = math.gcd(arguments.warmup or steps, steps)
    pytorch_device.allow_tf32(arguments.tf32)


def add_flags(parser):
    add = parser.add_argument
    add("--workload", choices=sorted(MODULES), default="fashion_mnist_cnn")
    add("--no-channels-last", dest="channels_last", action="store_false")
    add(
        "--compile",
        nargs="?",
        const="default",
        choices=("default", CUDA_GRAPHS),
        help=f"torch.compile model and loss; {CUDA_GRAPHS}: with CUDA graphs",
    )
    add("--device", choices=("cpu", "gpu"), default="cpu")
    add("--precision", choices=("float32", "mixed_bfloat16"), default="float32", help="mixed_bfloat16: autocast")
    add("--tf32", action="store_true", help="on a GPU let float32 be computed in TF32")
    add(
        "--steps-per-loss",
        type=int,
        default=10,
        help="on CPUs, steps between reads of the loss; on a GPU a block of them",
    )


def implementation(arguments):
    """Its name in entries."""
    names = {"default": "pytorch_compiled", CUDA_GRAPHS: "pytorch_cuda_graphs"}
    return names.get(arguments.compile, "pytorch_single")


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
    return model.to(pytorch_device.of(arguments))


def load(module, arguments, part):
    """The arrays of a part of the data as tensors, as the model expects them; examples are along the first axis."""
    return [_laid_out(torch.from_numpy(array), arguments) for array in module.load(arguments, part)]


def _laid_out(array, arguments):
    """Images [n, h, w, c] as [n, c, h, w]; others as they are."""
    if array.dim() != 4:
        return array
    images = array.permute(0, 3, 1, 2)
    return images if arguments.channels_last else images.contiguous()


def batches(data, arguments, rank, epoch, drop_remainder):
    """This rank's part of each global batch of a freshly shuffled epoch, and the size of the whole batch.

    Every rank draws the same permutation. Of a last batch of n examples over N ranks the
    first n % N ranks get one more, as MirroredStrategy divides it.
    """
    generator = torch.Generator().manual_seed(arguments.seed + epoch)
    order = torch.randperm(len(data[0]), generator=generator)
    for batch in order.split(arguments.global_batch_size):
        if drop_remainder and len(batch) < arguments.global_batch_size:
            return
        mine = batch.tensor_split(arguments.replicas)[rank]
        yield *(array[mine] for array in data), len(batch)


def endless_batches(data, arguments, rank):
    epoch = 0
    while True:
        yield from batches(data, arguments, rank, epoch, drop_remainder=True)
        epoch += 1


def image_loss(model, images, labels):
    """The sum of the images' losses."""
    return torch.nn.functional.cross_entropy(model(images).float(), labels, reduction="sum")


def make_loss(module, model, arguments):
    """The sum of the examples' losses as a function of a batch's arrays, compiled on request."""
    sum_of = getattr(module, "loss", image_loss)

    def loss_of(*arrays):
        with torch.autocast(
            pytorch_device.of(arguments).type, dtype=torch.bfloat16, enabled=arguments.precision == "mixed_bfloat16"
        ):
            return sum_of(model, *arrays)

    if not arguments.compile:
        return loss_of
    return torch.compile(loss_of, mode=arguments.compile)


def make_step(module, model, optimizer, arguments):
    """One training step; gives the replica's share of the global batch's mean loss.

    DistributedDataParallel averages gradients over ranks, so the sum of the examples'
    losses is divided by the global batch and multiplied by the number of ranks.
    """
    loss_of, world_size = make_loss(module, model, arguments), arguments.replicas
    schedule = module.make_schedule(optimizer) if hasattr(module, "make_schedule") else None

    def step(*batch):
        *arrays, global_size = batch
        if arguments.compile == CUDA_GRAPHS:
            torch.compiler.cudagraph_mark_step_begin()
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of(*arrays) / global_size
        (loss * world_size if world_size > 1 else loss).backward()
        if hasattr(module, "clip"):
            module.clip(model)
        optimizer.step()
        if schedule:
            schedule.step()
        return loss.detach()

    return step


def train_steps(step, data, arguments, rank, clock):
    """Warm-up and timed blocks; gives this rank's share of each step's loss."""
    device = pytorch_device.of(arguments)
    stream = pytorch_device.feed(endless_batches(data, arguments, rank), device)
    losses = []
    while len(losses) < clock.training_steps:
        pending = [step(*next(stream)) for _ in range(arguments.steps_per_loss)]
        losses.extend(loss.item() for loss in pending)
        pytorch_device.synchronize(device)
        clock.steps_done(arguments.steps_per_loss)
    stream.close()
    return losses


def train_epochs(step, data, arguments, rank, clock):
    """Whole epochs, the partial batch included; gives each epoch's mean loss."""
    means, device = [], pytorch_device.of(arguments)
    for epoch in range(arguments.epochs):
        stream = batches(data, arguments, rank, epoch, drop_remainder=False)
        losses = [step(*batch) for batch in pytorch_device.feed(stream, device)]
        means.append(float(sum(losses)) / len(losses))
        clock.epoch_done()
    return means


def train(step, data, arguments, rank):
    """Runs as the flags say; returns the losses and the samples of examples/s."""
    clock = BlockClock(arguments, len(data[0]))
    run = train_epochs if arguments.epochs else train_steps
    losses = run(step, data, arguments, rank, clock)
    return losses, clock.samples


def settings(module, model, arguments):
    """The fields that are reported with the figures."""
    more = {"channels_last": arguments.channels_last, "compile": arguments.compile}
    if arguments.device == "gpu":
        more |= {"tf32": arguments.tf32} | pytorch_device.described()
    if module is pytorch_resnet50:
        more["image_size"] = arguments.image_size
    if arguments.epochs and not hasattr(module, "loss"):
        device = pytorch_device.of(arguments)
        images, labels = (part.to(device) for part in load(module, arguments, "test"))
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
