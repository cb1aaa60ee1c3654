"""Conformance cases as Bazel tests."""

def _conformance_test_impl(ctx):
    executable = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.symlink(
        output = executable,
        target_file = ctx.executable.testee,
        is_executable = True,
    )
    data = [ctx.file.cases, ctx.file._sources, ctx.file._conventions] + ctx.files._operations
    runfiles = ctx.runfiles(files = data).merge(ctx.attr.testee[DefaultInfo].default_runfiles)
    return [DefaultInfo(executable = executable, runfiles = runfiles)]

# One program serves all files of cases: it is linked once, and its arguments select the file.
_conformance_test = rule(
    implementation = _conformance_test_impl,
    attrs = {
        "cases": attr.label(allow_single_file = [".json"], mandatory = True),
        "testee": attr.label(executable = True, cfg = "target", mandatory = True),
        "_sources": attr.label(default = "//conformance:sources.json", allow_single_file = True),
        "_operations": attr.label_list(
            default = ["//conformance:operations.md", "//conformance:intents.md"],
            allow_files = [".md"],
        ),
        "_conventions": attr.label(default = "//conformance:conventions.json", allow_single_file = True),
    },
    test = True,
)

def conformance_tests(testee, cases, differs = {}):
    """A test for every file of cases, with one test case for each case.

    Args:
      testee: a program over conformance/runner/verdicts/case_tests.h.
      cases: files "cases/<area>/<topic>.json"; their tests are called <area>_<topic>_test.
      differs: file -> claims whose expectations of level `observed` do not hold for the testee, by
        decision. A claim that is named here and holds fails.
    """
    for file in differs:
        if file not in cases:
            fail("no such file of cases: " + file)
    for file in cases:
        topic = file[len("cases/"):-len(".json")]
        name = topic.replace("/", "_") + "_test"
        _conformance_test(
            name = name,
            size = "small",
            args = [
                "--cases=conformance/" + file,
                "--target=//conformance:" + name,
            ] + ["--differs=%s/%s" % (topic, claim) for claim in differs.get(file, [])],
            cases = file,
            testee = testee,
        )
