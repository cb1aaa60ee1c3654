"""Every external repository of the workspace; all of them are local."""

load("//third_party:system_library.bzl", "system_library", "system_sources")
load("//third_party/cuda:cuda_configure.bzl", "cuda_configure")

# Folder of third_party -> what proves that its library is there, and how to link it.
_SYSTEM_LIBRARIES = {
    "benchmark": dict(
        library = "Google Benchmark",
        debian_package = "libbenchmark-dev",
        header = "benchmark/benchmark.h",
        linkopts = ["-lbenchmark", "-lpthread"],
    ),
    "onednn": dict(
        library = "oneDNN",
        debian_package = "libdnnl-dev",
        header = "dnnl.hpp",
        linkopts = ["-ldnnl"],
    ),
    "protobuf": dict(
        library = "Protocol Buffers",
        debian_package = "libprotobuf-dev",
        header = "google/protobuf/message.h",
        linkopts = ["-lprotobuf", "-lpthread"],
        program = "protoc",
        program_package = "protobuf-compiler",
    ),
    "grpc": dict(
        library = "gRPC",
        debian_package = "libgrpc++-dev",
        header = "grpcpp/grpcpp.h",
        linkopts = ["-lgrpc++", "-lgrpc", "-lgpr", "-labsl_synchronization", "-lpthread"],
        program = "grpc_cpp_plugin",
        program_package = "protobuf-compiler-grpc",
    ),
    "json": dict(
        library = "nlohmann JSON",
        debian_package = "nlohmann-json3-dev",
        header = "nlohmann/json.hpp",
    ),
    "fmt": dict(
        library = "fmt",
        debian_package = "libfmt-dev",
        header = "fmt/core.h",
        linkopts = ["-lfmt"],
    ),
    "cli11": dict(
        library = "CLI11",
        debian_package = "libcli11-dev",
        header = "CLI/CLI.hpp",
    ),
    "leveldb": dict(
        library = "LevelDB",
        debian_package = "libleveldb-dev",
        header = "leveldb/table.h",
        linkopts = ["-lleveldb"],
    ),
    "rapidcheck": dict(
        library = "RapidCheck",
        debian_package = "librapidcheck-dev",
        header = "rapidcheck.h",
        linkopts = ["-lrapidcheck"],
    ),
    "hwloc": dict(
        library = "hwloc",
        debian_package = "libhwloc-dev",
        header = "hwloc.h",
        linkopts = ["-lhwloc"],
    ),
    "highway": dict(
        library = "Highway",
        debian_package = "libhwy-dev",
        header = "hwy/highway.h",
        linkopts = ["-lhwy"],
    ),
    "zlib": dict(
        library = "zlib",
        debian_package = "zlib1g-dev",
        header = "zlib.h",
        linkopts = ["-lz"],
    ),
    "hdf5": dict(
        library = "HDF5",
        debian_package = "libhdf5-dev",
        header = "hdf5/serial/hdf5.h",
        linkopts = ["-lhdf5_serial"],
    ),
    "libzip": dict(
        library = "libzip",
        debian_package = "libzip-dev",
        header = "zip.h",
        linkopts = ["-lzip"],
    ),
    "snappy": dict(
        library = "Snappy",
        debian_package = "libsnappy-dev",
        header = "snappy.h",
        linkopts = ["-lsnappy"],
    ),
    "farmhash": dict(
        library = "FarmHash",
        debian_package = "libfarmhash-dev",
        header = "farmhash.h",
        linkopts = ["-lfarmhash"],
    ),
    "highwayhash": dict(
        library = "HighwayHash",
        debian_package = "libhighwayhash-dev",
        header = "highwayhash/sip_hash.h",
        linkopts = ["-lhighwayhash"],
    ),
    "curl": dict(
        library = "libcurl",
        debian_package = "libcurl4-openssl-dev",
        header = "curl/curl.h",
        linkopts = ["-lcurl"],
    ),
    "openssl": dict(
        library = "OpenSSL",
        debian_package = "libssl-dev",
        header = "openssl/evp.h",
        linkopts = ["-lcrypto"],
    ),
    "gloo": dict(
        library = "Gloo",
        debian_package = "libgloo-dev",
        header = "gloo/allreduce.h",
        linkopts = ["-lgloo", "-lpthread"],
    ),
    # Loaded at run time: see //third_party/openmpi.
    "openmpi": dict(
        library = "Open MPI",
        debian_package = "libopenmpi-dev",
        header = "openmpi/mpi.h",
        linkopts = ["-ldl"],
    ),
}

def _in_tree_repository_impl(rctx):
    source = rctx.path(Label("//third_party:repositories.bzl")).dirname.get_child("bazel").get_child(rctx.name)
    for child in source.readdir():
        rctx.symlink(child, child.basename)

# Unlike native.local_repository, it is found from other workspaces too.
_in_tree_repository = repository_rule(
    implementation = _in_tree_repository_impl,
    doc = "The folder of third_party/bazel that has the repository's name.",
    local = True,
)

def bazel_4_stubs():
    """Declares in-tree repositories for what Bazel 4 would otherwise download.

    Debian's Bazel reports no version at all; from Bazel 5 on the real repositories are used.
    """
    if native.bazel_version and not native.bazel_version.startswith("4."):
        return
    for name in ["rules_cc", "rules_java", "remote_coverage_tools"]:
        _in_tree_repository(name = name)

def system_libraries():
    """Declares one repository `system_<folder>` for each folder of third_party."""
    system_sources(
        name = "system_googletest",
        library = "GoogleTest",
        build_file = Label("//third_party/googletest:sources.BUILD"),
        debian_package = "googletest",
        directory = "/usr/src/googletest",
        targets = ["gtest", "gtest_main"],
    )
    for folder, library in _SYSTEM_LIBRARIES.items():
        system_library(name = "system_" + folder, **library)
    cuda_configure(name = "system_cuda")
