"""C++ code from .proto files, by the system's protoc.

    cc_proto(name = "trackable_object_graph", srcs = ["trackable_object_graph.proto"])

is a cc_library; its header is included as "<package>/trackable_object_graph.pb.h". With `grpc = True` it
has the services too, in "<package>/trackable_object_graph.grpc.pb.h".
Imports are written from the workspace root and come from the cc_proto targets in `deps`.
"""

_GRPC_PLUGIN = "@system_grpc//:grpc_cpp_plugin"
_GRPC_OUT = "--grpc_out=$(GENDIR)/$$root --plugin=protoc-gen-grpc=$(execpath %s) " % _GRPC_PLUGIN

def cc_proto(name, srcs, deps = [], grpc = False, **kwargs):
    """A cc_library of the messages in `srcs`.

    Args:
      name: of the library.
      srcs: .proto files of this package.
      deps: cc_proto targets whose .proto files `srcs` import.
      grpc: whether `srcs` have services.
      **kwargs: visibility, testonly and the like.
    """
    stems = [src[:-len(".proto")] for src in srcs]
    kinds = [".pb", ".grpc.pb"] if grpc else [".pb"]
    sources = [s + kind + ".cc" for s in stems for kind in kinds]
    headers = [s + kind + ".h" for s in stems for kind in kinds]
    native.filegroup(
        name = name + "_protos",
        srcs = srcs + [_protos_of(dep) for dep in deps],
        **kwargs
    )
    native.genrule(
        name = name + "_generate",
        srcs = srcs + [":" + name + "_protos"],
        outs = sources + headers,
        cmd = _set_root(srcs[0]) + "$(execpath @system_protobuf//:protoc) -I$$root --cpp_out=$(GENDIR)/$$root " +
              (_GRPC_OUT if grpc else "") +
              " ".join(["$(execpath %s)" % src for src in srcs]),
        tools = ["@system_protobuf//:protoc"] + ([_GRPC_PLUGIN] if grpc else []),
        **kwargs
    )
    native.cc_library(
        name = name,
        srcs = sources,
        hdrs = headers,
        deps = deps + ["//third_party/protobuf"] + (["//third_party/grpc"] if grpc else []),
        **kwargs
    )

def _set_root(source):
    """Sets $root to the folder of this repository: external/... when another workspace uses it."""
    path = native.package_name() + "/" + source
    return "path=$(execpath %s); root=$${path%%%s}; root=$${root:-.}; " % (source, path)

def _protos_of(dep):
    if ":" in dep:
        return dep + "_protos"
    return dep + ":" + dep.split("/")[-1] + "_protos"
