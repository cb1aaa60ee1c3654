"""C++ code from .proto files, by the system's protoc.

    cc_proto(name = "trackable_object_graph", srcs = ["trackable_object_graph.proto"])

is a cc_library; its header is included as "<package>/trackable_object_graph.pb.h".
Imports are written from the workspace root and come from the cc_proto targets in `deps`.
"""

def cc_proto(name, srcs, deps = [], **kwargs):
    """A cc_library of the messages in `srcs`.

    Args:
      name: of the library.
      srcs: .proto files of this package.
      deps: cc_proto targets whose .proto files `srcs` import.
      **kwargs: visibility, testonly and the like.
    """
    stems = [src[:-len(".proto")] for src in srcs]
    native.filegroup(
        name = name + "_protos",
        srcs = srcs + [_protos_of(dep) for dep in deps],
        **kwargs
    )
    native.genrule(
        name = name + "_generate",
        srcs = srcs + [":" + name + "_protos"],
        outs = [s + ".pb.cc" for s in stems] + [s + ".pb.h" for s in stems],
        cmd = "$(execpath @system_protobuf//:protoc) -I. --cpp_out=$(GENDIR) " +
              " ".join(["$(execpath %s)" % src for src in srcs]),
        tools = ["@system_protobuf//:protoc"],
        **kwargs
    )
    native.cc_library(
        name = name,
        srcs = [s + ".pb.cc" for s in stems],
        hdrs = [s + ".pb.h" for s in stems],
        deps = deps + ["//third_party/protobuf"],
        **kwargs
    )

def _protos_of(dep):
    if ":" in dep:
        return dep + "_protos"
    return dep + ":" + dep.split("/")[-1] + "_protos"
