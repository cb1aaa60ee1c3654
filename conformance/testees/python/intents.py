"""What the intents of operations.md ask for, read from a step into plain objects.

    @steps.step("train.create")
    def create(call):
        request = TrainingRequest.of(call)
        request.refuse(static_graph="its step is compiled again for each set of weights")
        ...

Arrays are nested lists: a framework's own tensors are its testee's to make.
"""

import dataclasses

from conformance.testees.python.errors import Unsupported


class Request:
    """The base: its fields are the step's arguments, with the defaults of operations.md."""

    @classmethod
    def of(cls, call):
        fields = (field.name for field in dataclasses.fields(cls))
        return cls(**{name: call.argument(name) for name in fields if call.has(name)})

    def refuse(self, **reasons):
        """Raises Unsupported, with its name and reason, for the first of these that the program requests.

        A request is any value but the default, None, False, 0 and an empty list.
        """
        otherwise = {field.name: field.default for field in dataclasses.fields(self)}
        for name, reason in reasons.items():
            if getattr(self, name) not in (otherwise[name], None, False, 0, []):
                raise Unsupported(f"{name}: {reason}")

    def refuse_value(self, name, reasons):
        """Raises Unsupported, with the value and its reason, where the field has one of the values: {value: reason}."""
        if reason := reasons.get(value := getattr(self, name)):
            raise Unsupported(f"{name}={value}: {reason}")


@dataclasses.dataclass
class ModelRequest(Request):
    """`model.create`. `layers` are objects as operations.md has them."""

    layers: list
    loss: str
    over: str = "examples"
    ignored: int | None = None
    l2: float = 0.0

    @property
    def used_layers(self):
        """[(place, layer)] of those that the model passes through, some of them again."""
        used = (place for place, layer in enumerate(self.layers) if layer.get("used", True))
        named = {layer["name"]: place for place, layer in enumerate(self.layers) if "name" in layer}
        places = (named.get(self.layers[place].get("layer"), place) for place in used)
        return [(place, self.layers[place]) for place in places]

    @property
    def has_class_numbers(self):
        return self.loss == "sparse_categorical_crossentropy"

    @property
    def label_dtype(self):
        return "int64" if self.has_class_numbers else "float32"


@dataclasses.dataclass
class LoaderRequest(Request):
    """`loader.create`."""

    inputs: list
    batch: int
    labels: list | None = None
    weights: list | None = None
    dtype: str = "float32"
    batch_of: str = "global"
    shuffle: bool = False
    shuffle_buffer: int | None = None
    seed: int = 0
    drop_last: bool = False
    uneven: str = "default"
    draws: bool = False
    workers: int = 0

    def global_batch(self, replicas):
        # intents.md (loader.create, batch_of)
        return self.batch * (replicas if self.batch_of == "replica" else 1)

    def replica_batch(self, replicas):
        """A replica's share. Raises Unsupported for a global batch that does not divide."""
        if self.batch_of == "replica":
            return self.batch
        # pytorch/examples:imagenet/main.py (args.batch_size / ngpus_per_node)
        if self.batch % replicas:
            raise Unsupported("its loaders take the batch of a replica, a whole number")
        # pytorch/examples:imagenet/main.py (args.batch_size / ngpus_per_node)
        return self.batch // replicas


@dataclasses.dataclass
class TrainingRequest(Request):
    """`train.create`, but for the model. `momentum` and so on are of `optimizer` alone."""

    optimizer: str
    learning_rate: float | None = None
    rates: list | None = None
    momentum: float = 0.0
    weight_decay: float = 0.0
    accumulate: int = 1
    clip_norm: float | None = None
    precision: str = "float32"
    initial_scale: float = 32768.0
    growth_steps: int = 2000
    calls: int = 1
    sync_batch_norm: bool = False
    find_unused: bool = False
    static_graph: bool = False

    @property
    def first_rate(self):
        return self.learning_rate if self.rates is None else self.rates[0]

    def rate_of(self, step):
        """The rate of the optimizer's step of this number, from 0."""
        if self.rates is None:
            return self.learning_rate
        return self.rates[min(step, len(self.rates) - 1)]
