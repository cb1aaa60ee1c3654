"""tf_keras (Keras 2): an optimizer takes the shards of a variable only where the variable has a name.

Under a partitioner the shards of tf.Variable(..., name="table") are called table/part_0 and
table/part_1, those of a variable without a name both Variable. The optimizer finds the number of a
shard behind "part_" of its name (_ShardedVariableBuilder, tf_keras/src/optimizers/optimizer.py).
Expected: `build` takes both. Observed without a name: ValueError "invalid literal for int() with
base 10: 'm/Variable'". No checkpoint, gradient or update of TensorFlow needs the name.
"""

import json
import multiprocessing
import os
import socket

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow as tf
import tf_keras

JOBS = ("chief", "worker", "ps")


def addresses():
    sockets = [socket.create_server(("localhost", 0)) for _ in JOBS]
    cluster = {job: [f"localhost:{each.getsockname()[1]}"] for job, each in zip(JOBS, sockets, strict=True)}
    for each in sockets:
        each.close()
    return cluster


def serve(cluster, job):
    tf.distribute.Server(cluster, job_name=job, task_index=0).join()


cluster = addresses()
for job in ("ps", "worker"):
    multiprocessing.get_context("fork").Process(target=serve, args=(cluster, job), daemon=True).start()
os.environ["TF_CONFIG"] = json.dumps({"cluster": cluster, "task": {"type": "chief", "index": 0}})
resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
two = tf.distribute.experimental.partitioners.FixedShardsPartitioner(2)
strategy = tf.distribute.ParameterServerStrategy(resolver, variable_partitioner=two)
for name in ("table", None):
    with strategy.scope():
        table = tf.Variable([[1.0], [2.0]], name=name)
        try:
            tf_keras.optimizers.SGD(0.5).build(table.variables)
            observed = "built"
        except ValueError as error:
            observed = f"ValueError: {error}"
    names = [shard.name for shard in table.variables]
    print(f"tf_keras {tf_keras.__version__}, shards {names}: expected built, observed {observed}", flush=True)
for process in multiprocessing.active_children():
    process.kill()
os._exit(0)  # at once: the strategy would look for its workers
