"""What the peers' scripts share of the workload `fashion_mnist_cnn`.

The model is the custom-training document's: Conv2D(32, 3, relu), MaxPooling2D,
Conv2D(64, 3, relu), MaxPooling2D, Flatten, Dense(64, relu), Dense(10); sparse
categorical cross-entropy from logits; Adam(1e-3, epsilon 1e-7); 64 images a replica;
float32; images divided by 255; shuffled. A step is the whole of it, input included.

Only NumPy is needed here, so that each framework is imported where it is used.
"""

import argparse
import gzip
import json
import math
import os
import pathlib
import platform
import statistics
import struct

import numpy

BATCH_SIZE_PER_REPLICA = 64
LEARNING_RATE = 1e-3
EPSILON = 1e-7


def argument_parser(description):
    """The flags that every training script takes."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--replicas", type=int, default=1, help="copies of the model (1)")
    add("--threads", type=int, default=os.cpu_count(), help="in all replicas together")
    add("--warmup", type=int, default=100, help="steps before the clock starts (100)")
    add("--steps", type=int, default=100, help="steps in a timed block (100)")
    add("--blocks", type=int, default=5, help="timed blocks, a sample each (5)")
    add("--epochs", type=int, default=0, help="train so many epochs instead of blocks")
    add("--seed", type=int, default=1, help="of the variables and the shuffle (1)")
    add("--data", type=pathlib.Path, default=os.environ.get("LOCKSTEP_DATA_DIR"))
    return parser


def parse(parser):
    arguments = parser.parse_args()
    if not arguments.data:
        parser.error("no data: give --data or set LOCKSTEP_DATA_DIR")
    for name in ("replicas", "threads", "steps", "blocks"):
        if getattr(arguments, name) < 1:
            parser.error(f"--{name} must be positive, got {getattr(arguments, name)}")
    arguments.global_batch_size = BATCH_SIZE_PER_REPLICA * arguments.replicas
    return arguments


def read_idx(path):
    """The bytes of a gzipped IDX file, in the shape that its header states."""
    content = gzip.decompress(path.read_bytes())
    zeros, kind, rank = struct.unpack(">HBB", content[:4])
    if zeros != 0 or kind != 8:
        raise ValueError(f"{path}: not an IDX file of bytes: {content[:4].hex()}")
    shape = struct.unpack(f">{rank}I", content[4 : 4 + 4 * rank])
    if len(content) != 4 + 4 * rank + math.prod(shape):
        raise ValueError(f"{path}: {len(content)} bytes do not hold {shape}")
    return numpy.frombuffer(content, numpy.uint8, offset=4 + 4 * rank).reshape(shape)


def load(folder, part):
    """Images as float32 [n, 28, 28, 1] in [0, 1] and labels as int64 [n]."""
    fashion_mnist = pathlib.Path(folder, "fashion_mnist")
    images = read_idx(fashion_mnist / f"{part}-images-idx3-ubyte.gz")
    labels = read_idx(fashion_mnist / f"{part}-labels-idx1-ubyte.gz")
    return images[..., None] / numpy.float32(255), labels.astype(numpy.int64)


def report(name, arguments, versions, samples, losses, **more):
    """Prints the one JSON object that a script's last line is.

    `losses` are those of the training steps (or epochs) in order. That they are finite
    and fall is the check that what was timed was training.
    """
    losses = [float(loss) for loss in losses]
    tenth = max(1, len(losses) // 10)
    first, final = statistics.fmean(losses[:tenth]), statistics.fmean(losses[-tenth:])
    result = {
        "name": f"Train/workload:fashion_mnist_cnn/implementation:{name}"
        f"/replicas:{arguments.replicas}"
        f"/global_batch_size:{arguments.global_batch_size}/device:cpu",
        "versions": {"python": platform.python_version()} | versions,
        "replicas": arguments.replicas,
        "threads": arguments.threads,
        "global_batch_size": arguments.global_batch_size,
        "seed": arguments.seed,
        "images_per_second": statistics.median(samples),
        "samples": samples,
        "first_loss": first,
        "final_loss": final,
        "trained": math.isfinite(final) and (final < first or len(losses) < 2),
    }
    if arguments.epochs:
        result["epoch_losses"] = losses
    print(json.dumps(result | more), flush=True)
