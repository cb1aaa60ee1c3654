"""Mutants that are built and run as tests."""

def mutant_test(name, source):
    """A test that the cases named in `name`.json notice the mutant.

    The mutated copy of the source is an object of the test itself. The linker takes its symbols first,
    and then has no use for the unchanged object in the reference's library. Nothing else is compiled.

    Args:
      name: of the mutant; the test is called <name>_killed_test.
      source: label of the .cc file that the mutant changes.
    """
    mutated = name + "_mutated.cc"
    native.genrule(
        name = name + "_mutated",
        srcs = [name + ".json", source],
        outs = [mutated],
        cmd = "$(location :apply) $(location %s.json) $(location %s) $@" % (name, source),
        exec_tools = [":apply"],
    )
    native.cc_test(
        name = name + "_killed_test",
        size = "small",
        srcs = [mutated, "killed_test.cc"],
        data = [name + ".json", "//conformance:catalogue"],
        env = {"MUTANT": "conformance/mutants/%s.json" % name},
        deps = [
            "//conformance/runner/cases:case",
            "//conformance/runner/verdicts:run_case",
            "//conformance/testees/reference:reference_testee",
            "//third_party/googletest:gtest_main",
        ],
    )
