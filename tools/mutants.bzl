"""What packages of the reference let planted bugs (conformance/mutants) be built of.

    export_to_mutants()
"""

def export_to_mutants():
    """Lets the sources and headers of the package be compiled with a bug in them."""
    native.exports_files(
        native.glob(
            [
                "*.cc",
                "*.h",
            ],
            exclude = ["*_test.cc"],
        ),
        visibility = ["//conformance/mutants:__pkg__"],
    )
