import unittest

import numpy
from tools import xml_unittest

import exact_fixture


class ExactFixtureTest(unittest.TestCase):
    def test_bytes_are_those_of_the_documented_cpp_function(self):
        # As a C program with the function of the file's head prints them.
        for stream, wanted in (
            (0, [167, 152, 69, 49]),
            (64, [89, 51, 28, 34]),
            (128, [21, 179, 189, 140]),
        ):
            self.assertEqual(exact_fixture.byte(stream, 4).tolist(), wanted)

    def test_weights_have_the_models_shapes_and_are_exact_in_float32(self):
        weights = exact_fixture.weights()
        self.assertEqual(sum(w.size for w in weights), 121930)
        self.assertEqual(weights[0].dtype, numpy.float32)
        self.assertEqual(weights[0].ravel()[0], (167 - 128) / 128 / 8)
        for biases in weights[1::2]:
            self.assertFalse(biases.any())

    def test_a_batch_is_images_in_0_to_1_and_ten_kinds_of_labels(self):
        images, labels = exact_fixture.batch(0, 3)
        self.assertEqual(images.shape, (3, 28, 28, 1))
        self.assertEqual(images.ravel()[:2].tolist(), [89 / 256, 51 / 256])
        self.assertEqual(labels.tolist(), [21 % 10, 179 % 10, 189 % 10])

    def test_four_batches_come_round(self):
        first, fifth = exact_fixture.batch(0, 2)[0], exact_fixture.batch(4, 2)[0]
        self.assertTrue((first == fifth).all())
        self.assertFalse((first == exact_fixture.batch(1, 2)[0]).all())


if __name__ == "__main__":
    xml_unittest.main()
