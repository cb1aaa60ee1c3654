"""CUDA code compiled by nvcc, and tests that want a GPU.

    cuda_library(
        name = "relu",
        srcs = ["relu.cu"],
        hdrs = ["relu_launch.h"],
        deps = ["//reference/tensor"],
    )

is linked like a cc_library. It holds machine code for each of ARCHITECTURES, and PTX of the newest, which
the driver compiles for GPUs that came later. Without CUDA the target is skipped, and what depends on it.

a * b + c stays two roundings, as in the C++ code, so that a GPU kernel can give the bits of its CPU
counterpart; `fuse_multiply_add = True` lets a kernel whose contract needs no exact bits round once.

Depending on `//reference/cuda_backend` never skips anything: it is empty where there is no CUDA.
"""

load("@system_cuda//:defs.bzl", "CUDA_HOME")

ARCHITECTURES = ["80", "90", "100"]

# For target_compatible_with: skipped where CUDA is missing or switched off.
REQUIRES_CUDA = select({
    "//third_party/cuda:available": [],
    "//conditions:default": ["//third_party:not_available"],
})

def _code_options():
    options = ["-gencode=arch=compute_{0},code=sm_{0}".format(a) for a in ARCHITECTURES]
    return options + ["-gencode=arch=compute_{0},code=compute_{0}".format(ARCHITECTURES[-1])]

def _nvcc_options(ctx, compilation_context):
    host = "-Wall,-Wextra,-Werror,-UNDEBUG,-ffp-contract=off"
    options = ["-std=c++20", "-O3", "-Werror=all-warnings", "--expt-relaxed-constexpr", "--extended-lambda"]
    options.append("-Xcompiler=" + host)
    options.append("-fmad=" + ("true" if ctx.attr.fuse_multiply_add else "false"))
    options += _code_options()
    for folder in [".", ctx.bin_dir.path] + compilation_context.quote_includes.to_list():
        options += ["-I", folder]
    for folder in (compilation_context.includes.to_list() + compilation_context.system_includes.to_list()):
        options += ["-isystem", folder]
    return options + ["-D" + define for define in compilation_context.defines.to_list()]

def _compile(ctx, source, compilation_context):
    object_file = ctx.actions.declare_file("_cuda/{}/{}.o".format(ctx.label.name, source.basename))
    ctx.actions.run(
        executable = CUDA_HOME + "/bin/nvcc",
        # In the folder for temporary files two nvcc, each the second process of its sandbox, would take the same
        # names.
        arguments = _nvcc_options(ctx, compilation_context) +
                    ["--objdir-as-tempdir", "-c", source.path, "-o", object_file.path],
        inputs = depset([source] + ctx.files.hdrs, transitive = [compilation_context.headers]),
        outputs = [object_file],
        mnemonic = "CudaCompile",
        progress_message = "Compiling %s" % source.short_path,
        use_default_shell_env = True,
    )
    return object_file

def _cuda_library_impl(ctx):
    toolchain = ctx.attr._cc_toolchain[cc_common.CcToolchainInfo]
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    used = cc_common.merge_cc_infos(cc_infos = [dep[CcInfo] for dep in ctx.attr.deps + ctx.attr._runtime])
    objects = depset([_compile(ctx, source, used.compilation_context) for source in ctx.files.srcs])
    linking_context, _ = cc_common.create_linking_context_from_compilation_outputs(
        actions = ctx.actions,
        name = ctx.label.name,
        cc_toolchain = toolchain,
        feature_configuration = features,
        compilation_outputs = cc_common.create_compilation_outputs(objects = objects, pic_objects = objects),
        linking_contexts = [used.linking_context],
        alwayslink = ctx.attr.alwayslink,
        disallow_dynamic_library = True,
    )
    own = CcInfo(
        compilation_context = cc_common.create_compilation_context(headers = depset(ctx.files.hdrs)),
        linking_context = linking_context,
    )
    return [
        DefaultInfo(files = objects),
        cc_common.merge_cc_infos(direct_cc_infos = [own], cc_infos = [used]),
    ]

_cuda_library = rule(
    implementation = _cuda_library_impl,
    attrs = {
        "alwayslink": attr.bool(doc = "Linked although its symbols are not used: it registers itself."),
        "deps": attr.label_list(providers = [CcInfo]),
        "fuse_multiply_add": attr.bool(),
        "hdrs": attr.label_list(allow_files = [".h", ".cuh"]),
        "srcs": attr.label_list(allow_files = [".cu"]),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
        "_runtime": attr.label_list(default = ["//third_party/cuda:cudart"], providers = [CcInfo]),
    },
    fragments = ["cpp"],
    provides = [CcInfo],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
)

def cuda_library(name, **kwargs):
    """CUDA code as a library; see this file's head.

    Args:
      name: of the library.
      **kwargs: srcs (.cu), hdrs, deps, fuse_multiply_add, alwayslink, visibility and the like.
    """
    _cuda_library(name = name, target_compatible_with = REQUIRES_CUDA, **kwargs)

def gpu_test(name, tags = [], several = False, **kwargs):
    """A cc_test that wants a GPU, by itself on it.

    It skips visibly where there is none (GpuTest in //reference/device:gpu_testing does), and fails
    instead under `--test_env=LOCKSTEP_REQUIRE_GPU=1`. `--test_tag_filters=gpu` runs these alone. What wants
    more than one GPU is a test of its own with the tag `several_gpus`, so that `//tools/gpu_check` can tell that it
    does not apply to a machine with one.

    Args:
      name: of the test.
      tags: further ones.
      several: whether it wants two GPUs or more, as MultiGpuTest does.
      **kwargs: of the cc_test.
    """
    native.cc_test(
        name = name,
        tags = tags + ["exclusive", "gpu"] + (["several_gpus"] if several else []),
        **kwargs
    )
