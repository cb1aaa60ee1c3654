"""All-reduce by gloo between two processes of one machine, through torch.distributed.

100 MiB and 4 KiB of float32 by default. The sum is checked after the last call.
"""

import argparse
import os
import tempfile

import torch
import torch.distributed
import torch.multiprocessing

from benchmarks.peers import samples


def reduce_size(size, arguments):
    """One size's entry. Zeros are summed while the clock runs: they stay zeros."""
    values = torch.empty(size // 4)

    def operation():
        torch.distributed.all_reduce(values)

    repetitions = max(5, min(500, (1 << 30) // size))
    values.fill_(0)
    seconds = samples.measure(operation, repetitions, warmup=3)
    values.fill_(1)
    operation()
    right = bool((values == arguments.replicas).all())
    return samples.all_reduce_entry("gloo", size, arguments.replicas, seconds, right)


def run_replica(rank, arguments, rendezvous):
    torch.set_num_threads(1)
    torch.distributed.init_process_group(
        "gloo", init_method=f"file://{rendezvous}", rank=rank, world_size=arguments.replicas
    )
    entries = [reduce_size(size, arguments) for size in arguments.bytes]
    if rank == 0:
        samples.report({"torch": torch.__version__}, entries)
    torch.distributed.destroy_process_group()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicas", type=int, default=2)
    parser.add_argument("--bytes", type=int, nargs="+", default=[100 << 20, 4096])
    arguments = parser.parse_args()
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.spawn(
            run_replica, args=(arguments, os.path.join(folder, "rendezvous")), nprocs=arguments.replicas
        )


if __name__ == "__main__":
    main()
