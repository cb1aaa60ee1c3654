"""What a program requests, read from its steps."""

import unittest

from conformance.testees.python.errors import Unsupported
from conformance.testees.python.intents import LoaderRequest, ModelRequest, TrainingRequest
from tools import xml_unittest


class Call:
    """A step's arguments, as a StepCall gives them."""

    def __init__(self, **arguments):
        self._arguments = arguments

    def has(self, name):
        return name in self._arguments

    def argument(self, name):
        return self._arguments[name]


SGD = {"optimizer": "sgd", "learning_rate": 0.5}


def training(**arguments):
    return TrainingRequest.of(Call(**SGD | arguments))


def loader(**arguments):
    return LoaderRequest.of(Call(inputs=[1, 2, 3, 4], **{"batch": 4} | arguments))


def model(*layers, **arguments):
    named = {"layers": list(layers), "loss": "mean_squared_error"}
    return ModelRequest.of(Call(**named | arguments))


class RequestTest(unittest.TestCase):
    def test_what_the_step_says_is_taken(self):
        request = training(momentum=0.25, accumulate=3, rates=None)
        self.assertEqual((request.optimizer, request.momentum, request.accumulate), ("sgd", 0.25, 3))

    def test_what_it_leaves_out_has_the_documented_value(self):
        request = training()
        found = (request.accumulate, request.clip_norm, request.precision, request.initial_scale)
        self.assertEqual(found, (1, None, "float32", 32768))
        request = loader()
        self.assertEqual((request.uneven, request.batch_of, request.seed), ("default", "global", 0))

    def test_an_argument_of_another_thing_is_left_alone(self):
        self.assertFalse(hasattr(training(loader="l"), "loader"))

    def test_a_missing_argument_that_has_to_be_there_is_an_error(self):
        with self.assertRaises(TypeError):
            TrainingRequest.of(Call(learning_rate=0.5))


class RefuseTest(unittest.TestCase):
    def test_what_is_asked_for_is_refused_with_its_reason(self):
        with self.assertRaisesRegex(Unsupported, "^static_graph: no graphs$"):
            training(static_graph=True).refuse(find_unused="unasked", static_graph="no graphs")

    def test_nothing_zero_and_false_are_not_asked_for(self):
        for nothing in (None, 0, 0.0, False, []):
            with self.subTest(nothing):
                training(clip_norm=nothing).refuse(clip_norm="it clips nothing")

    def test_what_is_as_where_it_is_left_out_is_not_refused(self):
        training(accumulate=1, precision="float32").refuse(accumulate="no", precision="no")
        for asked in ({"accumulate": 2}, {"precision": "mixed_float16"}):
            with self.assertRaisesRegex(Unsupported, "no"):
                training(**asked).refuse(accumulate="no", precision="no")

    def test_a_value_is_refused_and_others_are_not(self):
        reasons = {"keep": "its shares are equal"}
        loader(uneven="pad").refuse_value("uneven", reasons)
        with self.assertRaisesRegex(Unsupported, "^uneven=keep: its shares are equal$"):
            loader(uneven="keep").refuse_value("uneven", reasons)


class ModelRequestTest(unittest.TestCase):
    def test_a_model_passes_through_layers_that_are_used(self):
        first, second, third = {"kind": "dense"}, {"used": False}, {"used": True}
        self.assertEqual(model(first, second, third).used_layers, [(0, first), (2, third)])

    def test_a_model_passes_through_a_layer_again(self):
        first, second = {"kind": "dense"}, {"kind": "dense", "name": "shared"}
        again = {"kind": "again", "layer": "shared"}
        self.assertEqual(model(first, second, again).used_layers, [(0, first), (1, second), (1, second)])

    def test_the_loss_says_what_labels_are(self):
        numbers = model(loss="sparse_categorical_crossentropy")
        self.assertEqual((numbers.has_class_numbers, numbers.label_dtype), (True, "int64"))
        self.assertEqual((model().has_class_numbers, model().label_dtype), (False, "float32"))


class LoaderRequestTest(unittest.TestCase):
    def test_a_global_batch_is_shared(self):
        self.assertEqual((loader().global_batch(2), loader().replica_batch(2)), (4, 2))

    def test_a_replicas_batch_is_its_own(self):
        request = loader(batch_of="replica", batch=3)
        self.assertEqual((request.global_batch(2), request.replica_batch(2)), (6, 3))

    def test_a_share_is_whole(self):
        with self.assertRaises(Unsupported):
            loader(batch=3).replica_batch(2)


class TrainingRequestTest(unittest.TestCase):
    def test_one_rate_is_that_of_every_step(self):
        request = training(learning_rate=0.25)
        self.assertEqual([request.first_rate, request.rate_of(0), request.rate_of(9)], [0.25] * 3)

    def test_each_step_has_its_rate_and_the_last_one_stays(self):
        request = training(rates=[0.0, 0.5, 0.25])
        self.assertEqual(request.first_rate, 0)
        self.assertEqual([request.rate_of(step) for step in range(5)], [0, 0.5, 0.25, 0.25, 0.25])


if __name__ == "__main__":
    xml_unittest.main()
