"""Keras 3 on TensorFlow: optimizers take each occurrence of a token for a gradient of its own.

An embedding's gradient has a row for each occurrence in the batch. Rows of one token are the
parts of one gradient, and are to be added up before they are squared, or their norm
is taken. The same table as a Dense layer on one-hot rows shows what is expected.
"""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import keras
import numpy as np

tokens = np.array([[0], [0]])
rows = np.array([[1.0], [1.0]], "float32")
y = np.zeros((2, 1), "float32")
optimizers = keras.optimizers
for make in (
    lambda: optimizers.SGD(0.25),
    lambda: optimizers.SGD(0.25, momentum=0.5, nesterov=True),
    lambda: optimizers.SGD(0.25, clipnorm=0.5),
    lambda: optimizers.SGD(0.25, global_clipnorm=0.5),
    lambda: optimizers.SGD(0.25, clipvalue=0.5),
    lambda: optimizers.Adam(0.25),
    lambda: optimizers.Adam(0.25, amsgrad=True),
    lambda: optimizers.AdamW(0.25),
    lambda: optimizers.Nadam(0.25),
    lambda: optimizers.Adamax(0.25),
    lambda: optimizers.Adagrad(0.25),
    lambda: optimizers.Adadelta(0.25),
    lambda: optimizers.RMSprop(0.25),
    lambda: optimizers.Ftrl(0.25),
    lambda: optimizers.Lion(0.25),
    lambda: optimizers.Lamb(0.25),
):
    found = []
    for sparse in (False, True):
        if sparse:
            layer = keras.layers.Embedding(1, 1, embeddings_initializer="ones")
            layers = [keras.Input((1,), dtype="int64"), layer, keras.layers.Flatten()]
        else:
            layer = keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")
            layers = [keras.Input((1,)), layer]
        model = keras.Sequential(layers)
        model.compile(make(), "mse")
        try:
            model.fit(tokens if sparse else rows, y, batch_size=2, epochs=2, verbose=0)
            found.append(round(np.asarray(layer.weights[0]).item(), 5))
        except Exception as error:
            found.append(f"{type(error).__name__}: {str(error)[:80]}")
    config = {
        k: v
        for k, v in make().get_config().items()
        if k in ("clipnorm", "global_clipnorm", "clipvalue", "momentum", "amsgrad") and v
    }
    verdict = "same" if found[0] == found[1] else "DIFFERS"
    print(
        f"Keras {keras.__version__}, {make().name} {config}: expected {found[0]}, observed {found[1]} {verdict}",
        flush=True,
    )
