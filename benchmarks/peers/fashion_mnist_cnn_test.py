import gzip
import os
import pathlib
import struct
import tempfile
import unittest

from tools import xml_unittest

import fashion_mnist_cnn as workload


def idx(*shape, content, kind=8):
    header = struct.pack(f">HBB{len(shape)}I", 0, kind, len(shape), *shape)
    return gzip.compress(header + bytes(content))


class ReadIdxTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"))
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def read(self, content):
        path = self.folder / "file.gz"
        path.write_bytes(content)
        return workload.read_idx(path)

    def test_the_shape_is_the_headers(self):
        array = self.read(idx(2, 3, content=range(6)))
        self.assertEqual(array.tolist(), [[0, 1, 2], [3, 4, 5]])

    def test_a_header_that_lies_is_refused(self):
        with self.assertRaisesRegex(ValueError, r"do not hold \(2, 4\)"):
            self.read(idx(2, 4, content=range(6)))

    def test_other_contents_are_refused(self):
        with self.assertRaisesRegex(ValueError, "not an IDX file of bytes"):
            self.read(idx(1, content=[0] * 4, kind=13))

    def test_images_are_scaled_and_get_a_channel(self):
        part = self.folder / "fashion_mnist"
        part.mkdir()
        pixels = [0, 255, 51, 102] + [0] * 780
        images = idx(1, 28, 28, content=pixels)
        (part / "t10k-images-idx3-ubyte.gz").write_bytes(images)
        (part / "t10k-labels-idx1-ubyte.gz").write_bytes(idx(1, content=[7]))
        images, labels = workload.load(self.folder, "t10k")
        self.assertEqual((images.shape, str(images.dtype)), ((1, 28, 28, 1), "float32"))
        self.assertEqual(images.ravel()[:2].tolist(), [0.0, 1.0])
        self.assertAlmostEqual(float(images.ravel()[2]), 0.2, places=7)
        self.assertEqual(labels.tolist(), [7])

    def test_the_files_may_lie_in_the_folder_itself(self):
        (self.folder / "train-images-idx3-ubyte.gz").write_bytes(
            idx(1, 28, 28, content=[255] * 784)
        )
        (self.folder / "train-labels-idx1-ubyte.gz").write_bytes(idx(1, content=[3]))
        images, labels = workload.load(self.folder, "train")
        self.assertEqual((images.min(), labels.tolist()), (1.0, [3]))


if __name__ == "__main__":
    xml_unittest.main()
