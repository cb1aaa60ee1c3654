"""Finds the CUDA toolkit; it is never required.

A toolkit counts when all that the GPU backend needs is there: compiler, runtime, cuDNN, cuBLASLt and
NCCL. `@system_cuda//:defs.bzl` tells rules CUDA_FOUND (bool) and CUDA_HOME (folder or ""); the libraries
`cudart`, `cudnn`, `cublaslt` and `nccl` are cc_library targets, empty ones where there is no toolkit.

CUDA_HOME in the environment names the toolkit's folder (default /usr/local/cuda);
`--repo_env=LOCKSTEP_PRETEND_MISSING=cuda` shows the build without it.
"""

_NEEDED = [
    "bin/nvcc",
    "include/cublasLt.h",
    "include/cuda_runtime_api.h",
    "include/cudnn.h",
    "include/nccl.h",
    "lib64/libcublasLt.so",
    "lib64/libcudart_static.a",
    "lib64/libcudnn.so",
    "lib64/libnccl.so",
]

_PRETEND_MISSING = "LOCKSTEP_PRETEND_MISSING"

# A program with only the static runtime starts on any machine; the others exist as shared libraries.
_LINKOPTS = {
    "cublaslt": ["-lcublasLt"],
    "cudart": ["-lcudart_static", "-ldl", "-lrt", "-lpthread"],
    "cudnn": ["-lcudnn"],
    "nccl": ["-lnccl"],
}

_HEADERS = """cc_library(
    name = "headers",
    hdrs = glob(["include/**"]),
    includes = ["include"],
)
"""

_LIBRARY = """
cc_library(
    name = "{name}",
    linkopts = {linkopts},
    visibility = ["//visibility:public"],
    deps = {deps},
)
"""

def _library(name, home):
    if not home:
        return _LIBRARY.format(name = name, linkopts = [], deps = [])
    folder = home + "/lib64"
    search = ["-L" + folder]
    if name != "cudart":
        search.append("-Wl,-rpath," + folder)
    return _LIBRARY.format(name = name, linkopts = repr(search + _LINKOPTS[name]), deps = [":headers"])

def _toolkit_folder(rctx):
    """The toolkit's folder, or "" where it is incomplete."""
    if "cuda" in rctx.os.environ.get(_PRETEND_MISSING, "").split(","):
        return ""
    home = rctx.os.environ.get("CUDA_HOME", "/usr/local/cuda")
    missing = [file for file in _NEEDED if not rctx.path(home + "/" + file).exists]
    if missing and len(missing) < len(_NEEDED):
        # buildifier: disable=print
        print("CUDA is left out: {} has no {}".format(home, ", ".join(missing)))
    return "" if missing else home

def _cuda_configure_impl(rctx):
    home = _toolkit_folder(rctx)
    if home:
        rctx.symlink(home + "/include", "include")
    libraries = "".join([_library(name, home) for name in sorted(_LINKOPTS)])
    rctx.file("BUILD", (_HEADERS if home else "") + libraries, executable = False)
    rctx.file(
        "defs.bzl",
        "CUDA_FOUND = {}\nCUDA_HOME = {}\n".format(bool(home), repr(home)),
        executable = False,
    )

cuda_configure = repository_rule(
    implementation = _cuda_configure_impl,
    configure = True,
    environ = ["CUDA_HOME", "SYS_STAMP", _PRETEND_MISSING],
    local = True,
)
