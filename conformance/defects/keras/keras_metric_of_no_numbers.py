"""Keras: a batch without examples turns the mean squared error of numbers into NaN.

Numbers of rank 1 are averaged over the batch before the metric takes them in; of an
empty batch, such as a replica without data has, that is NaN, for good. With a second
axis nothing is counted, as it should be.
"""

import os

os.environ["KERAS_BACKEND"] = "tensorflow"
import keras
import numpy as np

for shape in ((), (1,)):
    metric = keras.metrics.MeanSquaredError()
    metric.update_state(np.zeros((2, *shape)), np.full((2, *shape), 2.0))
    metric.update_state(np.zeros((0, *shape)), np.zeros((0, *shape)))
    print(f"examples of shape {shape}: expected 4.0, observed {float(metric.result())}")
