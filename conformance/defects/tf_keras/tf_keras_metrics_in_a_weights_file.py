"""tf_keras (Keras 2): under a strategy a model that was trained does not load its own `.weights.h5` file.

The file also holds the states of the model's metrics, its mean loss too, which a strategy synchronises on read.
load_weights assigns them the h5py Dataset as it is, where the assignment divides by the number of replicas. Expected:
the weights are loaded, as without a strategy. Observed: "TypeError: unsupported operand type(s) for /: 'Dataset' and
'int'", on one replica too.
"""

import contextlib
import os
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np
import tensorflow as tf
import tf_keras

for name, scope in (
    ("no strategy", contextlib.nullcontext()),
    ("one replica", tf.distribute.MirroredStrategy(["CPU:0"]).scope()),
):
    with scope:
        model = tf_keras.Sequential([tf_keras.Input((1,)), tf_keras.layers.Dense(1)])
        model.compile("sgd", "mse")
    model.fit(np.ones((4, 1)), np.zeros((4, 1)), verbose=0)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.weights.h5")
        model.save_weights(path)
        try:
            model.load_weights(path)
            observed = "loaded"
        except TypeError as error:
            observed = f"TypeError: {error}"
    print(f"tf_keras {tf_keras.__version__}, {name}: expected loaded, observed {observed}")
