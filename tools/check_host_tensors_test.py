"""In the tree the host writes on the host; planted calls that leave the device open are seen."""
from tools import check_host_tensors
from tools import source_tree
from tools import xml_unittest

WRITES = '*y.mutable_data<float>() = 1;\n'
SEEN = 'a.cc:1: Tensor::%s names no device: CurrentHost() where the host writes it (see host_tensor.h)'


class CheckHostTensorsTest(source_tree.PlantedTree):

    def problems(self, text, path='a.cc'):
        self.plant(path, text)
        return check_host_tensors.check(self.root)

    def test_the_tree_is_clean(self):
        self.assertEqual(check_host_tensors.check(source_tree.find_root()), [])

    def test_memory_that_is_not_initialised_names_its_device(self):
        self.assertEqual(self.problems('Tensor y = Tensor::Empty(Shape{2, 3}, Type(1, 2));'),
                         [SEEN % 'Empty'])
        self.assertEqual(self.problems('Tensor y = Tensor::Empty(\n    Shape{2, 3}, dtype, x.device());'), [])
        self.assertEqual(self.problems('Tensor y = EmptyOnHost(Shape{2, 3});'), [])

    def test_what_is_filled_names_its_device_where_addresses_are_written(self):
        for call, name in (('Tensor::Zeros(shape, dtype)', 'Zeros'), ('Tensor::Full<float>(shape, 0)', 'Full')):
            self.assertEqual(self.problems(call + ';\n'), [])
            self.assertEqual(self.problems(call + ';\n' + WRITES), [SEEN % name])
        self.assertEqual(self.problems('Tensor::Zeros(shape, dtype, device);\n' + WRITES), [])

    def test_comments_and_tests_may_leave_it_open(self):
        self.assertEqual(self.problems('// Tensor::Empty(Shape{2});\n'), [])
        self.assertEqual(self.problems('Tensor::Empty(Shape{2});\n', 'a_test.cc'), [])


if __name__ == '__main__':
    xml_unittest.main()
