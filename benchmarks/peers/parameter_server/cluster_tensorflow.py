"""TensorFlow's cluster with parameter servers on this machine, for a program that measures it."""

import contextlib
import json
import multiprocessing
import os

from processes.ports import free_ports

_fork = multiprocessing.get_context("fork")


def _serve(config):
    os.environ |= {"TF_CONFIG": config, "GRPC_FAIL_FAST": "use_caller", "TF_CPP_MIN_LOG_LEVEL": "3"}
    import tensorflow as tf

    resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    cluster = resolver.cluster_spec()
    tf.distribute.Server(cluster, job_name=resolver.task_type, task_index=resolver.task_id).join()


@contextlib.contextmanager
def local_cluster(workers, servers):
    """Starts the servers and workers, and makes this process the coordinator; TF_CONFIG says so.

    Gives the processes, by job ("worker", "ps") and index.

    To be entered before TensorFlow is imported: a process that has begun to work cannot be forked.
    """
    counts = {"chief": 1, "worker": workers, "ps": servers}
    tasks = [(job, index) for job, count in counts.items() for index in range(count)]
    addresses = dict(zip(tasks, (f"127.0.0.1:{port}" for port in free_ports(len(tasks))), strict=True))
    cluster = {job: [addresses[job, index] for index in range(count)] for job, count in counts.items()}
    configs = [json.dumps({"cluster": cluster, "task": {"type": job, "index": index}}) for job, index in tasks]
    os.environ["TF_CONFIG"] = configs[0]
    processes = {
        task: _fork.Process(target=_serve, args=(config,), daemon=True)
        for task, config in zip(tasks[1:], configs[1:], strict=True)
    }
    for process in processes.values():
        process.start()
    try:
        yield processes
    finally:
        for process in processes.values():
            process.kill()
