"""TensorFlow: FILE makes steps of full size where the document has smaller ones.

Two files of six lines, two workers with a replica each, global batches of four. The
document gives each worker [0, 1], [2, 3], [4], [5]: the batches of a file, 4 and 2
lines, each divided by two replicas. TensorFlow takes its lines in parts of 4 / 2.
"""

import json
import multiprocessing
import os
import socket
import tempfile


def free_address():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return "{}:{}".format(*one.getsockname())


def work(number, addresses, files):
    task = {"type": "worker", "index": number}
    cluster = {"worker": addresses}
    os.environ["TF_CONFIG"] = json.dumps({"cluster": cluster, "task": task})
    import tensorflow as tf

    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    options = tf.data.Options()
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.FILE
    batches = tf.data.TextLineDataset(files).batch(4).with_options(options)
    steps = []
    for step in strategy.experimental_distribute_dataset(batches):
        (own,) = strategy.experimental_local_results(step)
        steps.append([line.decode() for line in own.numpy()])
    print(f"worker {number}, expected two steps of 2 and two of 1, observed:", steps)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        files = [f"{folder}/first", f"{folder}/second"]
        for file, start in zip(files, (0, 6), strict=True):
            with open(file, "w", encoding="utf-8") as lines:
                lines.writelines(f"{start + i}\n" for i in range(6))
        addresses = [free_address(), free_address()]
        spawn = multiprocessing.get_context("spawn")
        workers = [spawn.Process(target=work, args=(number, addresses, files)) for number in range(2)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
