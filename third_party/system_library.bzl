"""Libraries installed by the operating system, as repositories.

    system_library(
        name = "system_onednn",
        library = "oneDNN",                  # what messages call it
        debian_package = "libdnnl-dev",      # what to install when it is missing
        header = "dnnl.hpp",                 # proof that it is there
        linkopts = ["-ldnnl"],
    )

gives `@system_onednn//:onednn`. Where the header is missing, building anything that needs the target
fails with `oneDNN is missing: apt-get install libdnnl-dev`; the rest of the tree still builds.

`--repo_env=LOCKSTEP_PRETEND_MISSING=onednn` shows that message on a machine that has the library.
SYS_STAMP, set by ./bazelw, changes with the installed packages and makes Bazel look again.
"""

_INCLUDE_FOLDERS = [
    "/usr/include",
    "/usr/local/include",
    "/usr/include/x86_64-linux-gnu",
    "/usr/include/aarch64-linux-gnu",
]

_PRETEND_MISSING = "LOCKSTEP_PRETEND_MISSING"

_ENVIRON = [_PRETEND_MISSING, "SYS_STAMP"]

# In this repository, which need not be the main one.
_MISSING_RULE = Label("//third_party:missing_library.bzl")

_MISSING_HEAD = """load("@%s//third_party:missing_library.bzl", "missing_library")

""" % _MISSING_RULE.workspace_name

_MISSING = """missing_library(
    name = "{target}",
    debian_package = "{package}",
    library = "{library}",
    visibility = ["//visibility:public"],
)
"""

_LIBRARY = """cc_library(
    name = "{target}",
    linkopts = {linkopts},
    visibility = ["//visibility:public"],
)
"""

_PROGRAM = """
filegroup(
    name = "{target}",
    srcs = ["bin/{target}"],
    visibility = ["//visibility:public"],
)
"""

def _folder(rctx):
    return rctx.name.replace("system_", "")

def _pretended_missing(rctx):
    return _folder(rctx) in rctx.os.environ.get(_PRETEND_MISSING, "").split(",")

def _missing(library, package, target):
    return _MISSING.format(library = library, package = package, target = target)

def _header_exists(rctx, header):
    for folder in _INCLUDE_FOLDERS:
        if rctx.path(folder + "/" + header).exists:
            return True
    return False

def _library_text(rctx):
    target = _folder(rctx)
    if _pretended_missing(rctx) or not _header_exists(rctx, rctx.attr.header):
        return _missing(rctx.attr.library, rctx.attr.debian_package, target)
    return _LIBRARY.format(target = target, linkopts = repr(rctx.attr.linkopts))

def _program_text(rctx):
    program = rctx.attr.program
    if not program:
        return ""
    path = None if _pretended_missing(rctx) else rctx.which(program)
    if not path:
        return _missing(program, rctx.attr.program_package, program)
    rctx.symlink(path, "bin/" + program)
    return _PROGRAM.format(target = program)

def _system_library_impl(rctx):
    rctx.file("BUILD", _MISSING_HEAD + _library_text(rctx) + _program_text(rctx), executable = False)

system_library = repository_rule(
    implementation = _system_library_impl,
    attrs = {
        "debian_package": attr.string(mandatory = True),
        "header": attr.string(mandatory = True),
        "library": attr.string(mandatory = True),
        "linkopts": attr.string_list(),
        "program": attr.string(doc = "A program of the library that builds need, found on PATH."),
        "program_package": attr.string(),
    },
    configure = True,
    environ = _ENVIRON,
    local = True,
)

def _system_sources_impl(rctx):
    directory = rctx.path(rctx.attr.directory)
    if _pretended_missing(rctx) or not directory.exists:
        texts = [_missing(rctx.attr.library, rctx.attr.debian_package, t) for t in rctx.attr.targets]
        rctx.file("BUILD", _MISSING_HEAD + "\n".join(texts), executable = False)
        return
    for child in directory.readdir():
        rctx.symlink(child, child.basename)
    rctx.symlink(rctx.attr.build_file, "BUILD")

system_sources = repository_rule(
    implementation = _system_sources_impl,
    attrs = {
        "build_file": attr.label(mandatory = True),
        "debian_package": attr.string(mandatory = True),
        "directory": attr.string(mandatory = True),
        "library": attr.string(mandatory = True),
        "targets": attr.string_list(doc = "What build_file declares for others."),
    },
    configure = True,
    doc = "A library that the system ships as source, built by us with `build_file`.",
    environ = _ENVIRON,
    local = True,
)
