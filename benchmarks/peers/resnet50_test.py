import unittest

from tools import xml_unittest

import resnet50


class MakeImagesTest(unittest.TestCase):
    def test_the_brightest_block_is_the_class(self):
        images, labels = resnet50.make_images(9, 4, classes=6)
        self.assertEqual((images.shape, str(images.dtype)), ((9, 4, 4, 3), "float32"))
        self.assertEqual(labels.tolist(), [0, 1, 2, 3, 4, 5, 0, 1, 2])
        blocks = images.reshape(9, 6, 8)
        self.assertEqual(blocks.mean(axis=2).argmax(axis=1).tolist(), labels.tolist())
        self.assertEqual(blocks[3, 3].tolist(), [1.0] * 8)
        self.assertLess(float(blocks[3, 2].max()), 0.5)

    def test_a_seed_makes_the_same_images_again(self):
        first, _ = resnet50.make_images(2, 8, classes=2, seed=3)
        again, _ = resnet50.make_images(2, 8, classes=2, seed=3)
        other, _ = resnet50.make_images(2, 8, classes=2, seed=4)
        self.assertTrue((first == again).all())
        self.assertFalse((first == other).all())

    def test_the_rate_is_in_proportion_to_the_batch(self):
        self.assertEqual(resnet50.learning_rate(256), 0.1)
        self.assertEqual(resnet50.learning_rate(64), 0.025)


if __name__ == "__main__":
    xml_unittest.main()
