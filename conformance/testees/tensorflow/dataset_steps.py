"""dataset.*: pipelines of tf.data before distribution."""

import tensorflow as tf

from conformance.testees.python.errors import ProgramError
from conformance.testees.python.step_table import StepTable
from conformance.testees.python.value_steps import rank_of
from conformance.testees.tensorflow.without_autotune import without_autotune

steps = StepTable()


def structure_of(literal, dtype):
    """A literal, or an object of literals, as tensors."""
    if isinstance(literal, dict):
        return {key: structure_of(item, dtype) for key, item in literal.items()}
    return tf.constant(literal, dtype)


@steps.step("dataset.range")
def range_(call):
    return without_autotune(tf.data.Dataset.range(call.integer("start", 0), call.integer("stop")))


@steps.step("dataset.from_tensors")
def from_tensors(call):
    value = structure_of(call.argument("value"), call.dtype())
    return without_autotune(tf.data.Dataset.from_tensors(value))


@steps.step("dataset.from_tensor_slices")
def from_tensor_slices(call):
    value = structure_of(call.argument("value"), call.dtype())
    return without_autotune(tf.data.Dataset.from_tensor_slices(value))


@steps.step("dataset.from_generator")
def from_generator(call):
    elements, dtype = call.argument("elements"), call.dtype()
    if not elements:
        raise ProgramError("a generator needs elements")
    fails_at = call.integer("fails_at", None)

    def generate():
        for place, element in enumerate(elements):
            if place == fails_at:
                raise ValueError(f"failing at element {place}, as asked to")
            yield tf.constant(element, dtype)

    unknown = tf.TensorSpec([None] * rank_of(elements[0]), dtype)
    return without_autotune(tf.data.Dataset.from_generator(generate, output_signature=unknown))


@steps.step("dataset.random")
def random(call):
    # https://www.tensorflow.org/api_docs/python/tf/data/Dataset#random
    return without_autotune(tf.data.Dataset.random(seed=call.integer("seed")))


@steps.step("dataset.zip")
def zip_(call):
    return tf.data.Dataset.zip(*call.find_all("of"))


@steps.step("dataset.choose_from_datasets")
def choose_from_datasets(call):
    # https://www.tensorflow.org/api_docs/python/tf/data/Dataset#choose_from_datasets
    return tf.data.Dataset.choose_from_datasets(
        call.find_all("of"), call.find("choice"), stop_on_empty_dataset=call.argument("stop_on_empty", True)
    )


@steps.step("dataset.sample_from_datasets")
def sample_from_datasets(call):
    # https://www.tensorflow.org/api_docs/python/tf/data/Dataset#sample_from_datasets
    return tf.data.Dataset.sample_from_datasets(
        call.find_all("of"), weights=call.argument("weights"), seed=call.integer("seed")
    )


@steps.step("dataset.batch")
def batch(call):
    drop = call.argument("drop_remainder", False)
    return call.find("of").batch(call.integer("size"), drop_remainder=drop)


@steps.step("dataset.padded_batch")
def padded_batch(call):
    dataset = call.find("of")
    padding = tf.nest.map_structure(
        lambda spec: tf.constant(call.argument("padding"), spec.dtype), dataset.element_spec
    )
    return dataset.padded_batch(call.integer("size"), padding_values=padding)


@steps.step("dataset.ragged_batch")
def ragged_batch(call):
    # https://www.tensorflow.org/api_docs/python/tf/data/Dataset#ragged_batch
    return call.find("of").ragged_batch(call.integer("size"), call.argument("drop_remainder", False))


@steps.step("dataset.unbatch")
def unbatch(call):
    return call.find("of").unbatch()


@steps.step("dataset.concatenate")
def concatenate(call):
    # https://www.tensorflow.org/api_docs/python/tf/data/Dataset#concatenate
    return call.find("of").concatenate(call.find("other"))


@steps.step("dataset.repeat")
def repeat(call):
    return call.find("of").repeat(call.integer("count", None))


@steps.step("dataset.take")
def take(call):
    return call.find("of").take(call.integer("count"))


@steps.step("dataset.skip")
def skip(call):
    return call.find("of").skip(call.integer("count"))


@steps.step("dataset.shard")
def shard(call):
    if not call.has("num_shards") and not call.has("index"):
        hint = tf.data.experimental.SHARD_HINT
        return call.find("of").shard(hint, hint)
    return call.find("of").shard(call.integer("num_shards"), call.integer("index"))


@steps.step("dataset.shuffle")
def shuffle(call):
    return call.find("of").shuffle(
        call.integer("buffer_size"),
        seed=call.integer("seed"),
        reshuffle_each_iteration=call.argument("reshuffle_each_iteration", True),
    )


def function_of(call):
    """The step's block as a function of an element."""

    # A failing step's error would come out changed by AutoGraph.
    @tf.autograph.experimental.do_not_convert
    def function(*element):
        element = element[0] if len(element) == 1 else element
        inner = call.inner(**{call.argument("as"): element})
        call.run_block(inner)
        return call.result(inner)

    return function


@steps.step("dataset.map")
def map_(call):
    # https://www.tensorflow.org/guide/data_performance#parallelizing_data_transformation
    return call.find("of").map(function_of(call), num_parallel_calls=call.integer("parallel_calls", None))


@steps.step("dataset.filter")
def filter_(call):
    return call.find("of").filter(function_of(call))


@steps.step("dataset.take_while")
def take_while(call):
    # https://www.tensorflow.org/api_docs/python/tf/data/Dataset#take_while
    return call.find("of").take_while(function_of(call))


@steps.step("dataset.scan")
def scan(call):
    # https://www.tensorflow.org/api_docs/python/tf/data/Dataset#scan
    def next_state(state, element):
        inner = call.inner(**{call.argument("state"): state, call.argument("as"): element})
        call.run_block(inner)
        state = call.result(inner)
        return state, state

    return call.find("of").scan(call.value("initial"), tf.autograph.experimental.do_not_convert(next_state))


@steps.step("dataset.unique")
def unique(call):
    # https://www.tensorflow.org/api_docs/python/tf/data/Dataset#unique
    return call.find("of").unique()


@steps.step("dataset.ignore_errors")
def ignore_errors(call):
    # https://www.tensorflow.org/api_docs/python/tf/data/Dataset#ignore_errors
    return call.find("of").ignore_errors()


@steps.step("dataset.window")
def window(call):
    # https://www.tensorflow.org/api_docs/python/tf/data/Dataset#window
    size = call.integer("size")
    windows = call.find("of").window(
        size,
        shift=call.integer("shift", None),
        stride=call.integer("stride", 1),
        drop_remainder=call.argument("drop_remainder", False),
    )
    return windows.flat_map(lambda elements: elements.batch(size))


@steps.step("dataset.group_by_window")
def group_by_window(call):
    # https://www.tensorflow.org/api_docs/python/tf/data/Dataset#group_by_window
    size = call.integer("size")
    return call.find("of").group_by_window(
        function_of(call), reduce_func=lambda _, elements: elements.batch(size), window_size=size
    )


@steps.step("dataset.bucket_by_sequence_length")
def bucket_by_sequence_length(call):
    # https://www.tensorflow.org/api_docs/python/tf/data/Dataset#bucket_by_sequence_length
    return call.find("of").bucket_by_sequence_length(
        element_length_func=lambda element: tf.shape(element)[0],
        bucket_boundaries=call.argument("boundaries"),
        bucket_batch_sizes=call.argument("sizes"),
    )


@steps.step("dataset.assert_cardinality")
def assert_cardinality(call):
    # https://www.tensorflow.org/api_docs/python/tf/data/experimental/assert_cardinality
    return call.find("of").apply(tf.data.experimental.assert_cardinality(call.integer("count")))


@steps.step("dataset.enumerate")
def enumerate_(call):
    return call.find("of").enumerate()


@steps.step("dataset.cache")
def cache(call):
    if call.has("file"):
        return call.find("of").cache(call.path(call.argument("file")))
    return call.find("of").cache()


@steps.step("dataset.prefetch")
def prefetch(call):
    return call.find("of").prefetch(call.integer("buffer_size"))


@steps.step("dataset.interleave")
def interleave(call):
    return call.find("of").interleave(
        function_of(call), cycle_length=call.integer("cycle_length"), block_length=call.integer("block_length", 1)
    )


@steps.step("dataset.with_options")
def with_options(call):
    policy = call.argument("auto_shard_policy").upper()
    options = tf.data.Options()
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy[policy]
    return call.find("of").with_options(options)


@steps.step("dataset.elements")
def elements(call):
    return list(call.find("of"))
