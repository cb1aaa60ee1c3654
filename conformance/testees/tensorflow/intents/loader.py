"""The loader of `loader.create` as a user of tf.data writes it."""

import copy

import tensorflow as tf

from conformance.testees.tensorflow.keep_alive import keep_alive
from conformance.testees.tensorflow.without_autotune import without_autotune

_LACKS = {
    "pad": "tf.data and its distribution add no example to make shares equal",
    "drop": "tf.data drops a whole short batch (drop_last), not what does not divide",
}


class Loader:
    """Examples in global batches, and where their next pass begins; `request` is a LoaderRequest.

    tf.data has no such object: a program holds the dataset and counts.
    """

    def __init__(self, request, replicas, is_seeded):
        request.refuse_value("uneven", _LACKS)
        self._generator = _generator(request.seed if is_seeded else None) if request.draws else None
        self.request = request
        self.global_batch = request.global_batch(replicas)
        self.dataset = self._pipeline()
        self.taken = 0  # batches of the pass that is being read
        self._skipped = 0
        self._iterator = None

    @property
    def length(self):
        """Global batches of a pass."""
        return int(self.dataset.cardinality())

    @property
    def begins_later(self):
        """Whether the next pass begins behind some batches."""
        return self._skipped > 0

    def begin(self):
        """The next pass, as a dataset; `next` goes on in one of its own."""
        skipped, self._skipped = self._skipped, 0
        return self.dataset.skip(skipped) if skipped else self.dataset

    def leave(self):
        """The pass that is being read ends here."""
        self._iterator, self.taken = None, 0

    def skip(self, batches):
        """The next pass begins behind so many batches."""
        self._skipped = batches

    def skipping(self, batches):
        """The same examples in the same order, whose next pass begins there."""
        other = copy.copy(self)
        other.leave()
        other.skip(batches)
        return other

    def next_of_pass(self, distribute=lambda dataset: dataset):
        """The next batch of the pass that it is in, or begins; None at its end.

        `distribute` makes of a pass's dataset what is iterated.
        """
        if self._iterator is None:
            self.taken = self._skipped
            self._iterator = keep_alive(iter(distribute(self.begin())))
        batch = next(self._iterator, None)
        if batch is None:
            self.leave()
        else:
            self.taken += 1
        return batch

    def next(self, distribute=lambda dataset: dataset):
        """The next batch of a pass, or of a new one behind its end."""
        batch = self.next_of_pass(distribute)
        return self.next_of_pass(distribute) if batch is None else batch

    def _pipeline(self):
        columns = [tf.constant(self.request.inputs, self.request.dtype)]
        if self.request.labels is not None:
            columns.append(_labels(self.request.labels))
        if self.request.weights is not None:
            columns.append(tf.constant(self.request.weights, tf.float32))
        dataset = without_autotune(tf.data.Dataset.from_tensor_slices(tuple(columns)))
        if self.request.shuffle:
            dataset = dataset.shuffle(self.request.shuffle_buffer or len(self.request.inputs), seed=self.request.seed)
        if self.request.draws:
            dataset = dataset.map(self._drawn, num_parallel_calls=self.request.workers or None)
        return dataset.batch(self.global_batch, drop_remainder=self.request.drop_last)

    def _drawn(self, inputs, *others):
        """As the tutorial on data augmentation draws in `map`: by seeds of a generator."""
        seed = self._generator.make_seeds(1)[:, 0]
        return tf.random.stateless_uniform(tf.shape(inputs), seed=seed), *others


def _generator(seed):
    if seed is None:
        return tf.random.Generator.from_non_deterministic_state()
    return tf.random.Generator.from_seed(seed, alg="philox")


def _labels(labels):
    """Class numbers are integers; numbers to come near to are floats."""
    tensor = tf.constant(labels)
    return tf.cast(tensor, tf.int64) if tensor.dtype.is_integer else tensor
