"""Finds the CUDA toolkit; it is never required.

`@system_cuda//:cuda` is the runtime library, or an empty library where there is no toolkit.
`@system_cuda//:defs.bzl` tells rules: CUDA_FOUND (bool) and CUDA_HOME (folder or "").
CUDA_HOME in the environment names the toolkit's folder (default /usr/local/cuda).
"""

_FOUND = """cc_library(
    name = "cuda",
    hdrs = glob(["include/**"]),
    defines = ["LOCKSTEP_HAS_CUDA=1"],
    includes = ["include"],
    linkopts = ["-L{home}/lib64", "-lcudart_static", "-ldl", "-lrt", "-lpthread"],
    visibility = ["//visibility:public"],
)
"""

_ABSENT = """cc_library(
    name = "cuda",
    visibility = ["//visibility:public"],
)
"""

def _cuda_configure_impl(rctx):
    home = rctx.os.environ.get("CUDA_HOME", "/usr/local/cuda")
    found = (rctx.path(home + "/include/cuda_runtime_api.h").exists and
             rctx.path(home + "/lib64/libcudart_static.a").exists)
    if found:
        rctx.symlink(home + "/include", "include")
    rctx.file("BUILD", (_FOUND if found else _ABSENT).format(home = home), executable = False)
    rctx.file(
        "defs.bzl",
        "CUDA_FOUND = {}\nCUDA_HOME = {}\n".format(found, repr(home if found else "")),
        executable = False,
    )

cuda_configure = repository_rule(
    implementation = _cuda_configure_impl,
    configure = True,
    environ = ["CUDA_HOME", "SYS_STAMP"],
    local = True,
)
