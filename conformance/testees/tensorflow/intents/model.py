"""The model of `model.create` as a user of Keras writes it, on TensorFlow."""

import tensorflow as tf

from conformance.testees.tensorflow import layer_steps
from conformance.testees.tensorflow.variable_steps import copies_of

# A layer's weights, by their names in operations.md, and by Keras's.
WEIGHTS = {name: name for name in ("kernel", "bias", "gamma", "beta")}
WEIGHTS["table"] = "embeddings"
BUFFERS = ("moving_mean", "moving_variance", "seen")


class Model(tf.keras.Model):
    """Layers one after the other; `request` is a ModelRequest.

    Made under the policy in force. What it gives is float32, as the guide to mixed
    precision requires it.
    """

    def __init__(self, request, centering, synchronized=False):
        super().__init__()
        self.request = request
        # Attributes one by one: of Keras 3's lists tf.train.Checkpoint saves nothing.
        for place, layer in enumerate(request.layers):
            setattr(self, f"layer_{place}", _layer(layer, request.l2, synchronized, centering))
        self.last = tf.keras.layers.Activation("linear", dtype="float32")
        self.built = True  # as its layers are

    @property
    def stack(self):
        return [getattr(self, f"layer_{place}") for place in range(len(self.request.layers))]

    def call(self, inputs, training=None):  # which Keras hands on to the layers itself
        layers = self.stack
        for place, layer in self.request.used_layers:
            if "where" in layer:
                inputs = _pass_positive(layers[place], inputs)
            else:
                inputs = layers[place](inputs)
        return self.last(inputs)


class RequestedModel:
    """A model that is built once it is known in what precision it is trained.

    `centering` makes a layer of that kind: what a layer keeps of its own is its user's.
    """

    def __init__(self, request, centering):
        self.request = request
        self._centering = centering
        self._built = None
        self._options = None

    def build(self, precision="float32", synchronized=False):
        """The Model. REQUIRES: nothing was trained by other options."""
        if self._options != (precision, synchronized):
            self._options = precision, synchronized
            tf.keras.mixed_precision.set_global_policy(precision)
            self._built = Model(self.request, self._centering, synchronized)
        return self._built

    @property
    def built(self):
        return self._built or self.build()


def loss_of(request, reduction):
    """The loss of a ModelRequest: Keras's, which ignores a class by itself."""
    if not request.has_class_numbers:
        return tf.keras.losses.MeanSquaredError(reduction=reduction)
    return tf.keras.losses.SparseCategoricalCrossentropy(
        from_logits=True, ignore_class=request.ignored, reduction=reduction
    )


def parameters_of(model, shown):
    """As `model.parameters` gives them; `shown(variable)` is what stands for each."""
    return [
        {name: shown(getattr(layer, theirs)) for name, theirs in WEIGHTS.items() if name in request}
        for layer, request in zip(model.stack, model.request.layers, strict=True)
    ]


def copies_of_parameters(model, replicas):
    """As `model.copies` gives them."""
    return [parameters_of(model, lambda variable, place=place: _copies(variable)[place]) for place in range(replicas)]


def buffers_of(model):
    """As `model.buffers` gives them: what a variable is outside of replicas."""
    return [{name: value_of(getattr(layer, name)) for name in BUFFERS if hasattr(layer, name)} for layer in model.stack]


def value_of(variable):
    return native(variable).numpy().tolist()


def native(variable):
    """TensorFlow's variable in Keras 3's; those of Keras 2 are TensorFlow's."""
    return variable if isinstance(variable, tf.Variable) else variable.value


def _pass_positive(layer, inputs):
    """By tf.cond, which an `if` on a tensor becomes in a tf.function."""
    passing = inputs[:, :1] > 0
    return tf.cond(
        tf.reduce_any(passing), lambda: tf.where(passing, tf.cast(layer(inputs), inputs.dtype), inputs), lambda: inputs
    )


def _copies(variable):
    return [copy.numpy().tolist() for copy in copies_of(native(variable))]


def _layer(request, penalty, synchronized, centering):
    if request["kind"] == "centering":
        return centering(request["size"], request.get("momentum", 0.9))
    layer = _MAKERS[request["kind"]](request, penalty, synchronized)
    layer.trainable = request.get("trainable", True)
    return layer


def _dense(request, penalty, synchronized):
    activation = request.get("activation", "linear")
    return layer_steps.make_dense(request["kernel"], request.get("bias"), activation, penalty)


def _embedding(request, penalty, synchronized):
    table = request["table"]
    first = tf.keras.initializers.Constant(table)
    layer = tf.keras.layers.Embedding(len(table), len(table[0]), embeddings_initializer=first)
    layer.build((None,))
    return layer


def _batch_normalization(request, penalty, synchronized):
    constant = tf.keras.initializers.Constant
    return layer_steps.make_batch_normalization(
        len(request["gamma"]),
        momentum=request.get("momentum", 0.9),
        epsilon=request.get("epsilon", 0.001),
        synchronized=synchronized,
        gamma_initializer=constant(request["gamma"]),
        beta_initializer=constant(request["beta"]),
    )


def _again(request, penalty, synchronized):
    return tf.keras.layers.Activation("linear")  # in the place of a layer that is passed again


_MAKERS = {"again": _again, "dense": _dense, "embedding": _embedding, "batch_normalization": _batch_normalization}
