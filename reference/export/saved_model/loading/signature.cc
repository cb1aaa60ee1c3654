#include "reference/export/saved_model/loading/signature.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>

#include "reference/base/error.h"
#include "reference/base/files/file_bytes.h"
#include "reference/export/saved_model/loading/operations/node_attributes.h"

namespace lockstep::export_internal {
namespace {

using saved_model::MetaGraphDef;
using saved_model::SavedConcreteFunction;
using saved_model::SavedObject;
using saved_model::SavedObjectGraph;
using saved_model::TensorSpecProto;

constexpr char kTag[] = "serve";

const SavedObject& ObjectAt(const SavedObjectGraph& objects, int node) {
  if (node >= 0 && node < objects.nodes_size()) return objects.nodes(node);
  throw DataLoss("[LoadSavedModel] there is no object {} of {}", node,
                 objects.nodes_size());
}

// nullptr if there is no child of this name.
const SavedObject* ChildOf(const SavedObjectGraph& objects,
                           const SavedObject& object, const std::string& name) {
  for (const auto& child : object.children()) {
    if (child.local_name() == name) return &ObjectAt(objects, child.node_id());
  }
  return nullptr;
}

const SavedObject& SignatureObject(const SavedObjectGraph& objects,
                                   const std::string& name) {
  const SavedObject* signatures =
      ChildOf(objects, objects.nodes(0), "signatures");
  const SavedObject* found =
      signatures == nullptr ? nullptr : ChildOf(objects, *signatures, name);
  if (found == nullptr) {
    std::vector<std::string> names;
    if (signatures != nullptr) {
      for (const auto& child : signatures->children()) {
        names.push_back(child.local_name());
      }
    }
    throw NotFound("[LoadSavedModel] there is no signature '{}', only [{}]",
                   name, fmt::join(names, ", "));
  }
  if (!found->has_bare_concrete_function()) {
    throw DataLoss("[LoadSavedModel] the signature '{}' is not a function",
                   name);
  }
  return *found;
}

TensorSpec SpecOfArgument(const TensorSpecProto& proto,
                          const std::string& name) {
  const auto type = SupportedType(proto.dtype());
  if (!type || proto.shape().unknown_rank()) {
    throw Unimplemented(
        "[LoadSavedModel] the argument '{}' is of TensorFlow's type {}{}; only "
        "float32, int32, int64, bool and string of known rank are supported",
        name, proto.dtype(),
        proto.shape().unknown_rank() ? " and of unknown rank" : "");
  }
  std::vector<int64_t> dims;
  for (const auto& dim : proto.shape().dim()) dims.push_back(dim.size());
  if (dims.size() > Shape::kMaxRank) {
    throw Unimplemented("[LoadSavedModel] the argument '{}' has {} axes", name,
                        dims.size());
  }
  return {Shape(dims), *type};
}

// All of a signature's arguments have names.
void FindInputs(const SavedObject& object,
                const SavedConcreteFunction& function, Signature& signature) {
  const auto& given = function.canonicalized_input_signature().tuple_value();
  const auto& by_name = given.values_size() == 2
                            ? given.values(1).dict_value()
                            : saved_model::DictValue::default_instance();
  for (const std::string& name :
       object.bare_concrete_function().argument_keywords()) {
    const auto spec = by_name.fields().find(name);
    if (spec == by_name.fields().end() ||
        !spec->second.has_tensor_spec_value()) {
      throw DataLoss("[LoadSavedModel] the argument '{}' has no spec", name);
    }
    signature.inputs.emplace_back(
        name, SpecOfArgument(spec->second.tensor_spec_value(), name));
  }
}

// The results are a dictionary, sorted by name.
void FindOutputs(const SavedConcreteFunction& function, Signature& signature) {
  if (!function.output_signature().has_dict_value()) {
    throw DataLoss("[LoadSavedModel] the results have no names");
  }
  for (const auto& [name, spec] :
       function.output_signature().dict_value().fields()) {
    signature.outputs.push_back(name);
  }
  std::ranges::sort(signature.outputs);
}

}  // namespace

MetaGraphDef ReadMetaGraph(const std::string& folder) {
  const std::string file = folder + "/saved_model.pb";
  saved_model::SavedModel model;
  if (!model.ParseFromString(ReadFileBytes(file))) {
    throw DataLoss("[LoadSavedModel] {} is not a SavedModel", file);
  }
  for (MetaGraphDef& graph : *model.mutable_meta_graphs()) {
    if (std::ranges::find(graph.meta_info_def().tags(), kTag) ==
        graph.meta_info_def().tags().end()) {
      continue;
    }
    if (graph.object_graph_def().nodes().empty()) {
      throw Unimplemented(
          "[LoadSavedModel] {} has no objects; SavedModels of TensorFlow 1 are "
          "not supported",
          file);
    }
    return std::move(graph);
  }
  throw NotFound("[LoadSavedModel] {} has no graph of the tag '{}'", file,
                 kTag);
}

Signature FindSignature(const MetaGraphDef& graph, const std::string& name) {
  const SavedObjectGraph& objects = graph.object_graph_def();
  const SavedObject& object = SignatureObject(objects, name);
  Signature signature;
  signature.function = object.bare_concrete_function().concrete_function_name();
  const auto found = objects.concrete_functions().find(signature.function);
  if (found == objects.concrete_functions().end()) {
    throw DataLoss("[LoadSavedModel] there is no function '{}'",
                   signature.function);
  }
  FindInputs(object, found->second, signature);
  FindOutputs(found->second, signature);
  for (const int node : found->second.bound_inputs()) {
    const SavedObject& object = ObjectAt(objects, node);
    if (!object.has_variable() && !object.has_constant() &&
        !object.has_resource()) {
      throw Unimplemented(
          "[LoadSavedModel] '{}' needs object {}, which is not a variable, a "
          "constant or a table; files and other objects are not supported",
          name, node);
    }
    signature.captured.push_back(node);
  }
  return signature;
}

}  // namespace lockstep::export_internal
