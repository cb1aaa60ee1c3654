"""fashion_mnist_cnn by PyTorch's DistributedDataParallel: a process a replica, gloo.

The threads are divided over the processes. Rank 0's clock counts; its steps wait for
the others' gradients, so it is the clock of all.
"""

import os
import tempfile

import torch
import torch.distributed
import torch.multiprocessing
from torch.nn.parallel import DistributedDataParallel

import fashion_mnist_cnn as workload
import pytorch_model


def train_replica(rank, arguments, rendezvous):
    """What each process does; rank 0 reports."""
    pytorch_model.set_threads(max(1, arguments.threads // arguments.replicas))
    torch.distributed.init_process_group(
        "gloo",
        init_method=f"file://{rendezvous}",
        rank=rank,
        world_size=arguments.replicas,
    )
    replica = pytorch_model.make_model(arguments)
    model = DistributedDataParallel(
        replica, gradient_as_bucket_view=True, static_graph=True
    )
    optimizer = pytorch_model.make_optimizer(model)
    step = pytorch_model.make_step(model, optimizer, arguments.replicas)
    data = pytorch_model.load(arguments, "train")
    losses, samples = pytorch_model.train(step, data, arguments, rank)
    shares = torch.tensor(losses, dtype=torch.float64)
    torch.distributed.all_reduce(shares)
    if rank == 0:
        more = pytorch_model.settings(replica, arguments)
        versions = pytorch_model.versions()
        losses = shares.tolist()
        workload.report("pytorch_ddp", arguments, versions, samples, losses, **more)
    torch.distributed.destroy_process_group()


def main():
    parser = workload.argument_parser(__doc__)
    pytorch_model.add_flags(parser)
    parser.set_defaults(replicas=2)
    arguments = workload.parse(parser)
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.spawn(
            train_replica,
            args=(arguments, os.path.join(folder, "rendezvous")),
            nprocs=arguments.replicas,
        )


if __name__ == "__main__":
    main()
