import json
import struct
import unittest

from conformance.testees.python.observation import observation_of
from tools import xml_unittest


class Tensor:
    def __init__(self, held):
        self.held = held


def plain(tensor):
    return tensor.held


class ObservationTest(unittest.TestCase):
    def observe(self, value):
        return observation_of(value, plain)

    def test_numbers_texts_and_nothing_are_themselves(self):
        for value in (None, True, 2**53 + 1, -3, 0.5, "text"):
            with self.subTest(value):
                observed = self.observe(value)
                self.assertEqual(observed, value)
                self.assertIs(type(observed), type(value))

    def test_float32_is_the_double_it_equals(self):
        (tenth,) = struct.unpack("f", struct.pack("f", 0.1))
        text = json.dumps(self.observe(Tensor(tenth)))
        self.assertEqual(text, "0.10000000149011612")

    def test_what_json_lacks_is_text(self):
        values = [float("nan"), float("inf"), -float("inf")]
        expected = ["NaN", "Infinity", "-Infinity"]
        self.assertEqual(self.observe(values), expected)

    def test_tuples_are_lists_and_bytes_are_texts(self):
        self.assertEqual(self.observe((b"caf\xc3\xa9", [1])), ["caf\u00e9", [1]])

    def test_own_values_are_asked_for_wherever_they_stand(self):
        value = {"x": (Tensor([1, 2]), Tensor(None)), 3: Tensor([Tensor(4)])}
        self.assertEqual(self.observe(value), {"x": [[1, 2], None], "3": [4]})


if __name__ == "__main__":
    xml_unittest.main()
