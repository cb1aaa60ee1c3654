"""metric.*: the metrics that TensorFlow offers, which are Keras's."""

import tensorflow as tf

from conformance.testees.python.step_table import StepTable

steps = StepTable()

KINDS = {
    "mean": tf.keras.metrics.Mean,
    "sum": tf.keras.metrics.Sum,
    "accuracy": tf.keras.metrics.Accuracy,
    "sparse_categorical_accuracy": tf.keras.metrics.SparseCategoricalAccuracy,
    "mean_squared_error": tf.keras.metrics.MeanSquaredError,
    "root_mean_squared_error": tf.keras.metrics.RootMeanSquaredError,
    "mean_absolute_error": tf.keras.metrics.MeanAbsoluteError,
    "precision": tf.keras.metrics.Precision,
    "recall": tf.keras.metrics.Recall,
    # Of rows of one number; Keras reports one per class unless an average is requested.
    "f1_score": lambda: tf.keras.metrics.F1Score(average="micro", threshold=0.5),
    "true_positives": tf.keras.metrics.TruePositives,
    "auc": tf.keras.metrics.AUC,
    "mean_iou": tf.keras.metrics.MeanIoU,
}
OPTIONS = ("num_thresholds", "curve", "summation_method", "num_classes")


@steps.step("metric.create")
def create(call):
    return KINDS[call.argument("kind")](**{name: call.argument(name) for name in OPTIONS if call.has(name)})


@steps.step("metric.update_state")
def update_state(call):
    names = [n for n in ("values", "labels", "predictions") if call.has(n)]
    arguments = [call.value(name) for name in names]
    weight = call.value("sample_weight", None)
    call.find("of").update_state(*arguments, sample_weight=weight)


@steps.step("metric.result")
def result(call):
    return call.find("of").result()


@steps.step("metric.state")
def state(call):
    """TensorFlow's own variable, which is inside that of Keras."""
    return getattr(call.find("of"), call.argument("name")).value


@steps.step("metric.reset_state")
def reset_state(call):
    call.find("of").reset_state()
