"""Every external repository of the workspace; all of them lie on this machine."""

load("//third_party:system_library.bzl", "system_library", "system_sources")
load("//third_party/cuda:cuda_configure.bzl", "cuda_configure")

def bazel_4_stubs():
    """Declares in-tree repositories for what Bazel 4 would otherwise download.

    Debian's Bazel reports no version at all; from Bazel 5 on the real repositories are used.
    """
    if native.bazel_version and not native.bazel_version.startswith("4."):
        return
    for name in ["rules_cc", "rules_java", "remote_coverage_tools"]:
        native.local_repository(name = name, path = "third_party/bazel/" + name)

def system_libraries():
    """Declares one repository `system_<folder>` for each folder of third_party."""
    system_sources(
        name = "system_googletest",
        library = "GoogleTest",
        build_file = "//third_party/googletest:sources.BUILD",
        debian_package = "googletest",
        directory = "/usr/src/googletest",
        targets = ["gtest", "gtest_main"],
    )
    system_library(
        name = "system_benchmark",
        library = "Google Benchmark",
        debian_package = "libbenchmark-dev",
        header = "benchmark/benchmark.h",
        linkopts = ["-lbenchmark", "-lpthread"],
    )
    system_library(
        name = "system_onednn",
        library = "oneDNN",
        debian_package = "libdnnl-dev",
        header = "dnnl.hpp",
        linkopts = ["-ldnnl"],
    )
    system_library(
        name = "system_protobuf",
        library = "Protocol Buffers",
        debian_package = "libprotobuf-dev",
        header = "google/protobuf/message.h",
        linkopts = ["-lprotobuf", "-lpthread"],
        program = "protoc",
        program_package = "protobuf-compiler",
    )
    system_library(
        name = "system_json",
        library = "nlohmann JSON",
        debian_package = "nlohmann-json3-dev",
        header = "nlohmann/json.hpp",
    )
    system_library(
        name = "system_fmt",
        library = "fmt",
        debian_package = "libfmt-dev",
        header = "fmt/core.h",
        linkopts = ["-lfmt"],
    )
    system_library(
        name = "system_cli11",
        library = "CLI11",
        debian_package = "libcli11-dev",
        header = "CLI/CLI.hpp",
    )
    system_library(
        name = "system_leveldb",
        library = "LevelDB",
        debian_package = "libleveldb-dev",
        header = "leveldb/table.h",
        linkopts = ["-lleveldb"],
    )
    system_library(
        name = "system_rapidcheck",
        library = "RapidCheck",
        debian_package = "librapidcheck-dev",
        header = "rapidcheck.h",
        linkopts = ["-lrapidcheck"],
    )
    system_library(
        name = "system_hwloc",
        library = "hwloc",
        debian_package = "libhwloc-dev",
        header = "hwloc.h",
        linkopts = ["-lhwloc"],
    )
    system_library(
        name = "system_highway",
        library = "Highway",
        debian_package = "libhwy-dev",
        header = "hwy/highway.h",
        linkopts = ["-lhwy"],
    )
    system_library(
        name = "system_zlib",
        library = "zlib",
        debian_package = "zlib1g-dev",
        header = "zlib.h",
        linkopts = ["-lz"],
    )
    system_library(
        name = "system_snappy",
        library = "Snappy",
        debian_package = "libsnappy-dev",
        header = "snappy.h",
        linkopts = ["-lsnappy"],
    )
    system_library(
        name = "system_curl",
        library = "libcurl",
        debian_package = "libcurl4-openssl-dev",
        header = "curl/curl.h",
        linkopts = ["-lcurl"],
    )
    system_library(
        name = "system_gloo",
        library = "Gloo",
        debian_package = "libgloo-dev",
        header = "gloo/allreduce.h",
        linkopts = ["-lgloo", "-lpthread"],
    )
    cuda_configure(name = "system_cuda")
