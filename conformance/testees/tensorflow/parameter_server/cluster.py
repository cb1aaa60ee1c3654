"""The processes of a cluster with parameter servers: its workers and servers, beside the coordinator.

Each is what TensorFlow's tutorial of parameter servers starts: a tf.distribute.Server that
TF_CONFIG tells its task, and that knows nothing of the program.
"""

import json
import multiprocessing
import os
import signal

import tensorflow as tf

from conformance.testees.python.child_process import die_with_parent
from conformance.testees.python.workers import free_addresses

CHIEF, WORKER, SERVER = "chief", "worker", "ps"
PATIENCE = 20  # seconds for a process that is killed or started

_fork = multiprocessing.get_context("fork")


class Cluster:
    """Its workers and servers, which another process starts and ends.

        with Cluster(workers=2, servers=1) as cluster:
            strategy = tf.distribute.ParameterServerStrategy(cluster.resolver())
            cluster.kill(WORKER, 1)
            cluster.start(WORKER, 1)

    That process is forked before TensorFlow has begun to work in this one, so that what it
    forks later is as fresh. All end when this process does.
    """

    def __init__(self, workers, servers):
        # operations.md (workers, servers), and this one
        chief, *others = free_addresses(1 + workers + servers)
        self._addresses = {CHIEF: [chief], WORKER: others[:workers], SERVER: others[workers:]}
        self._pipe, theirs = _fork.Pipe()
        self._keeper = _fork.Process(target=_keep, args=(self._addresses, theirs, self._pipe))

    def __enter__(self):
        self._keeper.start()
        for job in (SERVER, WORKER):
            for index in range(len(self._addresses[job])):
                self.start(job, index)
        return self

    def __exit__(self, *_):
        self._keeper.kill()
        self._keeper.join()

    def resolver(self):
        """What tells the coordinator its cluster."""
        os.environ["TF_CONFIG"] = _config(self._addresses, CHIEF, 0)
        os.environ["GRPC_FAIL_FAST"] = "use_caller"
        return tf.distribute.cluster_resolver.TFConfigClusterResolver()

    def start(self, job, index):
        self._ask("start", job, index)

    def kill(self, job, index):
        self._ask("kill", job, index)

    def _ask(self, *command):
        self._pipe.send(command)
        if not self._pipe.poll(PATIENCE):
            raise TimeoutError(f"[Cluster] {' '.join(map(str, command))} took longer than {PATIENCE} s")
        self._pipe.recv()


def _config(addresses, job, index):
    return json.dumps({"cluster": addresses, "task": {"type": job, "index": index}})


def _keep(addresses, pipe, coordinators_end):
    die_with_parent()
    coordinators_end.close()
    tasks = {}
    while True:
        command, job, index = pipe.recv()
        if command == "start":
            tasks[job, index] = _fork.Process(target=_serve, args=(addresses, job, index))
            tasks[job, index].start()
        else:
            os.kill(tasks[job, index].pid, signal.SIGKILL)
            tasks[job, index].join()
        pipe.send("done")


def _serve(addresses, job, index):
    die_with_parent()
    os.environ["TF_CONFIG"] = _config(addresses, job, index)
    os.environ["GRPC_FAIL_FAST"] = "use_caller"
    resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    server = tf.distribute.Server(
        resolver.cluster_spec(), job_name=resolver.task_type, task_index=resolver.task_id, protocol="grpc", start=True
    )
    server.join()
