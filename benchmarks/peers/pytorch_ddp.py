"""A workload by PyTorch's DistributedDataParallel: one process per replica, gloo.

The threads are divided over the processes. Rank 0's clock counts; its steps wait for
the others' gradients, so it is the clock of all.
"""

import os
import tempfile

import torch
import torch.distributed
import torch.multiprocessing
from torch.nn.parallel import DistributedDataParallel

from benchmarks.peers import pytorch_training, training_script


def train_replica(rank, arguments, rendezvous):
    """The main function of each process; rank 0 reports."""
    pytorch_training.set_threads(max(1, arguments.threads // arguments.replicas))
    torch.distributed.init_process_group(
        "gloo", init_method=f"file://{rendezvous}", rank=rank, world_size=arguments.replicas
    )
    module = pytorch_training.MODULES[arguments.workload]
    replica = pytorch_training.make_model(module, arguments)
    # As ours: each replica keeps the moving moments of its own batches.
    model = DistributedDataParallel(
        replica, gradient_as_bucket_view=True, static_graph=True, forward_sync_buffers=False
    )
    optimizer = module.make_optimizer(model, arguments)
    step = pytorch_training.make_step(module, model, optimizer, arguments)
    data = pytorch_training.load(module, arguments, "train")
    losses, samples = pytorch_training.train(step, data, arguments, rank)
    shares = torch.tensor(losses, dtype=torch.float64)
    torch.distributed.all_reduce(shares)
    if rank == 0:
        training_script.report(
            module.workload,
            "pytorch_ddp",
            arguments,
            pytorch_training.versions(),
            samples,
            shares.tolist(),
            **pytorch_training.settings(module, replica, arguments),
        )
    torch.distributed.destroy_process_group()
    # One run in ten aborts when Python finalizes while a thread of PyTorch 2.15's still drops tensors.
    os._exit(0)  # the report is flushed


def main():
    _, arguments = pytorch_training.parse(__doc__, replicas=2)
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.spawn(
            train_replica, args=(arguments, os.path.join(folder, "rendezvous")), nprocs=arguments.replicas
        )


if __name__ == "__main__":
    main()
