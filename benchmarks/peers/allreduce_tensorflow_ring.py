"""All-reduce by TensorFlow's RING between two processes of one machine.

ReplicaContext.all_reduce under MultiWorkerMirroredStrategy, several in one tf.function
so that Python's part is small. 100 MiB and 4 KiB of float32 by default; the sum is
checked.
"""

import argparse
import json
import multiprocessing
import os

from benchmarks.peers import samples
from benchmarks.peers.allreduce_tensorflow import reduce_size
from processes.ports import free_ports


def run_worker(index, arguments, ports):
    workers = [f"127.0.0.1:{port}" for port in ports]
    os.environ["TF_CONFIG"] = json.dumps({"cluster": {"worker": workers}, "task": {"type": "worker", "index": index}})
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import tensorflow as tf

    ring = tf.distribute.experimental.CommunicationImplementation.RING
    strategy = tf.distribute.MultiWorkerMirroredStrategy(
        communication_options=tf.distribute.experimental.CommunicationOptions(implementation=ring)
    )
    entries = [reduce_size(tf, strategy, size, "tensorflow_ring") for size in arguments.bytes]
    if index == 0:
        samples.report({"tensorflow": tf.__version__}, entries)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicas", type=int, default=2)
    parser.add_argument("--bytes", type=int, nargs="+", default=[100 << 20, 4096])
    arguments = parser.parse_args()
    ports = free_ports(arguments.replicas)
    context = multiprocessing.get_context("spawn")
    others = [
        context.Process(target=run_worker, args=(index, arguments, ports)) for index in range(1, arguments.replicas)
    ]
    for other in others:
        other.start()
    run_worker(0, arguments, ports)
    for other in others:
        other.join()


if __name__ == "__main__":
    main()
