"""What TensorFlow's document on custom training loops does between passes: measures."""

import tensorflow as tf

from conformance.testees.tensorflow.intents.counter import Count
from conformance.testees.tensorflow.intents.training import weights_of
from conformance.testees.tensorflow.keep_alive import keep_alive

METRICS = {"accuracy": lambda: tf.keras.metrics.SparseCategoricalAccuracy(name="accuracy"), "count": Count}


def evaluate(training, loader, names):
    """{name: number} of a pass: metrics that are made in the scope and updated in `run`."""
    loss = tf.keras.metrics.Mean(name="loss")
    metrics = [METRICS[name]() for name in names]

    def test_step(inputs, labels, *_):
        outputs = training.model(inputs, training=False)
        weights = None
        if training.model.request.over == "tokens":
            weights = tf.cast(weights_of(training.model.request, labels), "float32")
        loss.update_state(training.loss(labels, outputs), sample_weight=weights)
        for metric in metrics:
            metric.update_state(labels, outputs, sample_weight=weights)

    run = _on_replicas(training, test_step)
    for batch in keep_alive(iter(training.distribute(loader.begin()))):
        run(batch)
    return {metric.name: float(metric.result()) for metric in (loss, *metrics)}


def predict(training, loader):
    """The outputs of a pass, gathered from the replicas."""
    run = _on_replicas(training, lambda inputs, *_: training.model(inputs, training=False))
    return _gathered(training, loader, run)


def examples(training, loader):
    """The inputs of a pass, gathered from the replicas."""
    return _gathered(training, loader, lambda batch: batch[0])


def _gathered(training, loader, values_of):
    rows = []
    for batch in keep_alive(iter(training.distribute(loader.begin()))):
        # https://www.tensorflow.org/api_docs/python/tf/distribute/Strategy#gather
        rows += training.strategy.gather(values_of(batch), axis=0).numpy().tolist()
    return rows


def _on_replicas(training, step):
    @tf.function(reduce_retracing=True, autograph=False)
    def run(batch):
        return training.strategy.run(step, args=batch)

    return run
