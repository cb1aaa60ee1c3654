"""Test programs, and libraries, whose files are compiled at once.

    cc_unity_test(
        name = "cluster_test",
        srcs = [
            "cluster_spec_test.cc",
            "topology_test.cc",
        ],
        deps = [":cluster_spec", "//third_party/googletest:gtest_main"],
    )

Reading GoogleTest and the standard library takes the compiler two of the three seconds that it needs for a file of
tests; here it reads them once for all files. What these define, in an unnamed namespace too, has to have different names.
"""

def _write_unity(ctx):
    unity = ctx.actions.declare_file(ctx.label.name + ".cc")
    sources = [file.short_path for file in ctx.files.srcs if file.extension == "cc"]
    ctx.actions.write(unity, "".join(['#include "%s"\n' % path for path in sources]))
    return [DefaultInfo(files = depset([unity]))]

_unity = rule(
    implementation = _write_unity,
    attrs = {"srcs": attr.label_list(allow_files = [".cc", ".h"])},
)

def cc_unity_test(name, srcs, deps = [], **kwargs):
    """A test program of several files.

    Args:
      name: of the test.
      srcs: its files; headers too that no library has.
      deps: what they use.
      **kwargs: of the cc_test.
    """
    _unity(name = name + "_unity", srcs = srcs, testonly = True)
    native.cc_library(name = name + "_sources", testonly = True, textual_hdrs = srcs)
    native.cc_test(
        name = name,
        srcs = [":" + name + "_unity"],
        deps = deps + [":" + name + "_sources"],
        **kwargs
    )

def cc_unity_library(name, srcs, testonly = False, **kwargs):
    """A library of several files, for code that need not be compiled file by file while it is worked on.

    Args:
      name: of the library.
      srcs: its files.
      testonly: as of the cc_library.
      **kwargs: of the cc_library.
    """
    _unity(name = name + "_unity", srcs = srcs, testonly = testonly)
    native.cc_library(
        name = name,
        srcs = [":" + name + "_unity"],
        testonly = testonly,
        textual_hdrs = srcs,
        **kwargs
    )
