"""Several files of Python tests as one program."""

def py_tests(name, modules, deps, **options):
    """A py_test of the tests in MODULE.py of this package for each of `modules`.

    What they all import is imported once: to start a program costs more than most tests. Each file can
    also be run alone, by Python.
    """
    native.py_test(
        name = name,
        srcs = [module + ".py" for module in modules] + ["//tools:xml_unittest.py"],
        main = "//tools:xml_unittest.py",
        args = [native.package_name().replace("/", ".") + "." + module for module in modules],
        deps = deps + ["//tools:xml_unittest"],
        **options
    )
