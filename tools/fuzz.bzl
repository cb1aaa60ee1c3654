"""Fuzz targets that are ordinary tests until they are built to search.

    cc_fuzz_test(
        name = "idx_fuzz_test",
        srcs = ["idx_fuzz_test.cc"],    # defines LLVMFuzzerTestOneInput
        corpus = glob(["testdata/idx/*"]),
        deps = [":idx"],
    )

`./bazelw test //...` feeds it the corpus and a fixed set of damaged copies of it; with
`--test_env=LOCKSTEP_TEST_ROUNDS=10` ten times as many. A search for new inputs, with clang's libFuzzer and AddressSanitizer, for ten minutes:

    ./bazelw run --config=fuzz //image_datasets:idx_fuzz_test -- -max_total_time=600
"""

def cc_fuzz_test(name, srcs, corpus, deps = [], data = [], **kwargs):
    """A fuzz target with its corpus.

    Args:
      name: of the test.
      srcs: they define LLVMFuzzerTestOneInput; it returns 0 or throws what it should not.
      corpus: files, at least one; small and valid ones damage best.
      deps: what srcs uses.
      data: other files that it reads.
      **kwargs: of the cc_test.
    """
    native.cc_test(
        name = name,
        size = "small",
        srcs = srcs,
        args = select({
            "//tools:fuzzing": [],
            "//conditions:default": ["$(rootpaths %s)" % file for file in corpus],
        }),
        data = corpus + data,
        linkopts = select({
            "//tools:fuzzing": ["-fsanitize=fuzzer"],
            "//conditions:default": [],
        }),
        deps = deps + select({
            "//tools:fuzzing": ["//tools:fuzz_options"],
            "//conditions:default": ["//tools:fuzz_replay"],
        }),
        **kwargs
    )
