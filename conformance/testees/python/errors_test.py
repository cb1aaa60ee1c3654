import unittest

from conformance.testees.python.errors import PYTHON_CLASSES, class_of
from tools import xml_unittest


class ClassOfTest(unittest.TestCase):
    def test_exceptions_of_python_have_the_documented_classes(self):
        expected = {
            ValueError: "InvalidArgument",
            TypeError: "InvalidArgument",
            AssertionError: "InvalidArgument",
            StopIteration: "OutOfRange",
            RuntimeError: "FailedPrecondition",
            FileNotFoundError: "NotFound",
            NotImplementedError: "Unimplemented",
        }
        for exception, name in expected.items():
            with self.subTest(exception):
                self.assertEqual(class_of(exception("text")), name)

    def test_an_exception_that_says_nothing_is_internal(self):
        for exception in (IndexError, AttributeError, KeyError, OSError):
            with self.subTest(exception):
                self.assertEqual(class_of(exception("text")), "Internal")

    def test_a_framework_s_own_come_first(self):
        class OwnError(ValueError):
            pass

        classes = ((OwnError, "DataLoss"), *PYTHON_CLASSES)
        self.assertEqual(class_of(OwnError(), classes), "DataLoss")
        self.assertEqual(class_of(ValueError(), classes), "InvalidArgument")


if __name__ == "__main__":
    xml_unittest.main()
