"""TensorFlow: under a parameter-server strategy an optimizer of Keras 3 loses steps that two workers count at once.

`Variable.assign_add(value)` of Keras is `assign(self + value)`: it reads the counter and writes what
it read plus one, while TensorFlow's own assign_add adds on the server. Two workers that read the same
number count one step. Keras' maintainers write that Keras 3 does not support training with parameter
servers (keras-team/keras#18624), but nothing refuses it. Expected after 200 steps: 200, as a counter of TensorFlow beside it has.
Observed: fewer, another number in each run. Adam's bias correction and schedules follow the counter.
"""

import json
import multiprocessing
import os
import socket

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import keras
import tensorflow as tf

STEPS = 200
JOBS = {"chief": 1, "worker": 2, "ps": 1}


def addresses():
    sockets = [socket.create_server(("localhost", 0)) for _ in range(sum(JOBS.values()))]
    free = iter([f"localhost:{each.getsockname()[1]}" for each in sockets])
    for each in sockets:
        each.close()
    return {job: [next(free) for _ in range(count)] for job, count in JOBS.items()}


def serve(cluster, job, index):
    tf.distribute.Server(cluster, job_name=job, task_index=index).join()


cluster = addresses()
for job in ("ps", "worker"):
    for index in range(JOBS[job]):
        multiprocessing.get_context("fork").Process(target=serve, args=(cluster, job, index), daemon=True).start()
os.environ["TF_CONFIG"] = json.dumps({"cluster": cluster, "task": {"type": "chief", "index": 0}})
strategy = tf.distribute.ParameterServerStrategy(tf.distribute.cluster_resolver.TFConfigClusterResolver())
coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
with strategy.scope():
    weight, counter = tf.Variable(0.0), tf.Variable(0)
    optimizer = keras.optimizers.SGD(0.25)
    optimizer.build([weight])


@tf.function
def step():
    counter.assign_add(1)
    strategy.run(lambda: optimizer.apply_gradients([(tf.constant(2.0), weight)]))


for _ in range(STEPS):
    coordinator.schedule(step)
coordinator.join()
print(f"weight: expected {-STEPS / 2}, observed {weight.numpy()}")
print(f"TensorFlow's counter: expected {STEPS}, observed {counter.numpy()}")
print(f"Keras {keras.__version__}, iterations: expected {STEPS}, observed {int(optimizer.iterations)}", flush=True)
for process in multiprocessing.active_children():
    process.kill()
os._exit(0)  # at once: the coordinator would wait for its workers
