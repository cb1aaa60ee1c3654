"""The shared parts of every training peer: its flags and the one JSON object that it prints.

A workload is a module of its own (`fashion_mnist_cnn`, `resnet50`) with NAME and
BATCH_SIZE_PER_REPLICA; only NumPy is needed here, so that each framework is imported
where it is used.
"""

import argparse
import json
import math
import os
import pathlib
import platform
import statistics


def argument_parser(description):
    """The flags that every training script takes."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--replicas", type=int, default=1, help="copies of the model (1)")
    add("--batch", type=int, help="examples a replica (as the workload has it)")
    add("--threads", type=int, default=os.cpu_count(), help="in all replicas together")
    add("--warmup", type=int, default=100, help="steps before the clock starts (100)")
    add("--steps", type=int, default=100, help="steps in a timed block (100)")
    add("--blocks", type=int, default=5, help="timed blocks, a sample each (5)")
    add("--epochs", type=int, default=0, help="train so many epochs instead of blocks")
    add("--seed", type=int, default=1, help="of the variables and the shuffle (1)")
    add("--data", type=pathlib.Path, default=os.environ.get("LOCKSTEP_DATA_DIR"))
    return parser


def check(parser, arguments, workload):
    """Exits with a message for invalid flags; fills in the defaults of the others."""
    if workload.NEEDS_DATA and not arguments.data:
        parser.error("no data: give --data or set LOCKSTEP_DATA_DIR")
    arguments.batch = arguments.batch or workload.BATCH_SIZE_PER_REPLICA
    for name in ("replicas", "batch", "threads", "steps", "blocks"):
        if getattr(arguments, name) < 1:
            parser.error(f"--{name} must be positive, got {getattr(arguments, name)}")
    for name in ("warmup", "epochs", "seed"):
        if getattr(arguments, name) < 0:
            parser.error(f"--{name} must not be negative, got {getattr(arguments, name)}")
    arguments.global_batch_size = arguments.batch * arguments.replicas
    return arguments


def entry_name(workload, name, arguments):
    """As our own entries have it: the precision is named only where it is not float32."""
    precision = getattr(arguments, "precision", "float32")
    return (
        f"Train/workload:{workload.NAME}/implementation:{name}"
        f"/replicas:{arguments.replicas}"
        f"/global_batch_size:{arguments.global_batch_size}"
        + ("" if precision == "float32" else f"/precision:{precision}")
        + f"/device:{getattr(arguments, 'device', 'cpu')}"
    )


def rate(workload, figure):
    """Examples a second as an entry's fields; a workload whose examples are not images has an ITEM."""
    item = getattr(workload, "ITEM", "image")
    return {"images_per_second": figure} if item == "image" else {"item": item, "items_per_second": figure}


def report(workload, name, arguments, versions, samples, losses, **more):
    """Prints the one JSON object that a script's last line is.

    `losses` are those of the training steps (or epochs) in order. That they are finite
    and fall is the check that what was timed was training.
    """
    losses = [float(loss) for loss in losses]
    tenth = max(1, len(losses) // 10)
    first, final = statistics.fmean(losses[:tenth]), statistics.fmean(losses[-tenth:])
    result = {
        "name": entry_name(workload, name, arguments),
        "versions": {"python": platform.python_version()} | versions,
        "replicas": arguments.replicas,
        "threads": arguments.threads,
        "global_batch_size": arguments.global_batch_size,
        "seed": arguments.seed,
        **rate(workload, statistics.median(samples)),
        "samples": samples,
        "first_loss": first,
        "final_loss": final,
        "trained": math.isfinite(final) and (final < first or len(losses) < 2),
    }
    if arguments.epochs:
        result["epoch_losses"] = losses
    print(json.dumps(result | more), flush=True)
