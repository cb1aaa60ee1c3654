"""Checks of the whole source tree."""

def tree_check(name):
    """A check `name`.py as a program, and its test, which also checks the tree.

    Bazel cannot know which files the test reads, so it runs every time (`external`) and outside the
    sandbox (`local`), where the workspace itself is visible.
    """
    native.py_binary(
        name = name,
        srcs = [name + ".py"],
        deps = [":source_tree"],
    )
    native.py_test(
        name = name + "_test",
        size = "small",
        srcs = [name + "_test.py"],
        data = ["//:WORKSPACE"],
        tags = [
            "external",
            "local",
        ],
        deps = [
            ":source_tree",
            ":xml_unittest",
            name,
        ],
    )
