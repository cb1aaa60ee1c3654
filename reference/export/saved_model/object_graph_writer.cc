#include "reference/export/saved_model/object_graph_writer.h"

#include <algorithm>
#include <utility>

#include "reference/export/saved_model/node_writer.h"

namespace lockstep::export_internal {
namespace {

using saved_model::SavedObject;
using saved_model::SavedObjectGraph;
using saved_model::StructuredValue;

StructuredValue SpecOfPlace(const NamedPlace& place) {
  StructuredValue value;
  auto& spec = *value.mutable_tensor_spec_value();
  spec.set_name(place.name);
  spec.set_dtype(TypeNumber(place.dtype));
  *spec.mutable_shape() = ShapeProto(place.shape);
  return value;
}

StructuredValue DictOf(const std::vector<NamedPlace>& places) {
  StructuredValue value;
  auto& fields = *value.mutable_dict_value()->mutable_fields();
  for (const NamedPlace& place : places)
    fields[place.name] = SpecOfPlace(place);
  return value;
}

StructuredValue TupleOf(const std::vector<NamedPlace>& places) {
  StructuredValue value;
  auto& tuple = *value.mutable_tuple_value();
  for (const NamedPlace& place : places) {
    *tuple.add_values() = SpecOfPlace(place);
  }
  return value;
}

// Positional arguments and keyword arguments.
StructuredValue Arguments(const StructuredValue& by_position,
                          const StructuredValue& by_name) {
  StructuredValue value;
  auto& tuple = *value.mutable_tuple_value();
  *tuple.add_values() = by_position;
  *tuple.add_values() = by_name;
  return value;
}

StructuredValue None() {
  StructuredValue value;
  value.mutable_none_value();
  return value;
}

// Python's inspect.FullArgSpec of a function of these arguments.
StructuredValue FullArgSpec(const std::vector<NamedPlace>& inputs) {
  StructuredValue args, no_names, no_annotations, spec;
  args.mutable_list_value();
  for (const NamedPlace& input : inputs) {
    args.mutable_list_value()->add_values()->set_string_value(input.name);
  }
  no_names.mutable_list_value();
  no_annotations.mutable_dict_value();
  auto& tuple = *spec.mutable_named_tuple_value();
  tuple.set_name("FullArgSpec");
  const std::pair<const char*, StructuredValue> fields[] = {
      {"args", args},
      {"varargs", None()},
      {"varkw", None()},
      {"defaults", None()},
      {"kwonlyargs", no_names},
      {"kwonlydefaults", None()},
      {"annotations", no_annotations}};
  for (const auto& [key, value] : fields) {
    auto& pair = *tuple.add_values();
    pair.set_key(key);
    *pair.mutable_value() = value;
  }
  return spec;
}

class ObjectGraphWriter {
 public:
  ObjectGraphWriter(const checkpoint_internal::ObjectGraph& objects,
                    const ModelInterface& interface,
                    const ModelResources& resources)
      : interface_(interface) {
    for (const auto& node : objects.nodes) AddObject(objects, *node.object);
    for (const VariablePtr& variable : resources.variables) {
      bound_.push_back(objects.node_of.at(variable.get()));
    }
    if (!resources.tables.empty()) AddTables(resources.tables.size());
  }

  SavedObjectGraph Write() {
    AddSignature();
    AddServe();
    return std::move(graph_);
  }

 private:
  static void SetUserObject(SavedObject& object, const std::string& kind) {
    auto& user_object = *object.mutable_user_object();
    user_object.set_identifier(kind);
    user_object.mutable_version()->set_producer(1);
    user_object.mutable_version()->set_min_consumer(1);
  }

  // Adds a variable, the root, or a list of variables.
  void AddObject(const checkpoint_internal::ObjectGraph& objects,
                 Trackable& object) {
    SavedObject& saved = *graph_.add_nodes();
    for (const Trackable::Child& child : object.children()) {
      AddChild(saved, child.name, objects.node_of.at(child.object));
    }
    if (const auto* variable = dynamic_cast<const Variable*>(&object)) {
      auto& of_variable = *saved.mutable_variable();
      of_variable.set_dtype(TypeNumber(variable->dtype()));
      *of_variable.mutable_shape() = ShapeProto(variable->shape());
      of_variable.set_trainable(variable->trainable());
      of_variable.set_name(variable->name());
    } else {
      const bool is_root = graph_.nodes_size() == 1;
      SetUserObject(
          saved, is_root ? "_generic_user_object" : "trackable_list_wrapper");
    }
  }

  static void AddChild(SavedObject& object, const std::string& name, int node) {
    auto& child = *object.add_children();
    child.set_local_name(name);
    child.set_node_id(node);
  }

  // Adds a child node of `parent`.
  SavedObject& AddNode(int parent, const std::string& name) {
    const int node = graph_.nodes_size();
    AddChild(*graph_.mutable_nodes(parent), name, node);
    return *graph_.add_nodes();
  }

  // A list of the tables, which keeps them alive. Each has the functions that
  // make and fill it.
  void AddTables(size_t count) {
    const int list = graph_.nodes_size();
    SetUserObject(AddNode(0, "tables"), "trackable_list_wrapper");
    for (size_t i = 0; i < count; ++i) {
      const int table = graph_.nodes_size();
      AddNode(list, std::to_string(i)).mutable_resource();
      AddTableFunction(table, "_create_resource", CreatorName(i), {},
                       kResourceType);
      AddTableFunction(table, "_initialize", InitializerName(i), {table},
                       tensor_bundle::DT_INT32);
      AddTableFunction(table, "_destroy_resource", DestroyerName(i), {},
                       tensor_bundle::DT_INT32);
      bound_.push_back(table);
    }
  }

  // A function of no arguments.
  void AddTableFunction(int table, const char* child, const std::string& name,
                        const std::vector<int>& bound, int result_type) {
    StructuredValue result;
    result.mutable_tensor_spec_value()->set_dtype(result_type);
    result.mutable_tensor_spec_value()->mutable_shape();
    AddFunction(name, bound, Arguments(TupleOf({}), DictOf({})), result);
    AddCallable(AddNode(table, child), name, {});
  }

  static void AddCallable(SavedObject& object, const std::string& name,
                          const std::vector<NamedPlace>& inputs) {
    auto& function = *object.mutable_function();
    function.add_concrete_functions(name);
    *function.mutable_function_spec()->mutable_fullargspec() =
        FullArgSpec(inputs);
    *function.mutable_function_spec()->mutable_input_signature() = None();
  }

  void AddFunction(const std::string& name, const std::vector<int>& bound,
                   const StructuredValue& arguments,
                   const StructuredValue& results) {
    auto& function = (*graph_.mutable_concrete_functions())[name];
    for (const int node : bound) function.add_bound_inputs(node);
    *function.mutable_canonicalized_input_signature() = arguments;
    *function.mutable_output_signature() = results;
  }

  void AddSignature() {
    const ModelInterface sorted = SortedByName(interface_);
    AddFunction(kSignatureFunction, bound_,
                Arguments(TupleOf({}), DictOf(sorted.inputs)),
                DictOf(sorted.outputs));
    const int map = graph_.nodes_size();
    SetUserObject(AddNode(0, "signatures"), "signature_map");
    auto& function =
        *AddNode(map, "serving_default").mutable_bare_concrete_function();
    function.set_concrete_function_name(kSignatureFunction);
    for (const NamedPlace& input : sorted.inputs) {
      function.add_argument_keywords(input.name);
    }
    function.set_allowed_positional_arguments(
        static_cast<int64_t>(sorted.inputs.size()));
  }

  void AddServe() {
    const auto& outputs = interface_.outputs;
    AddFunction(
        kServeFunction, bound_,
        Arguments(TupleOf(interface_.inputs), DictOf({})),
        outputs.size() == 1 ? SpecOfPlace(outputs[0]) : TupleOf(outputs));
    AddCallable(AddNode(0, "serve"), kServeFunction, interface_.inputs);
  }

  SavedObjectGraph graph_;
  const ModelInterface& interface_;
  std::vector<int> bound_;  // nodes of the functions' resources
};

}  // namespace

ModelInterface SortedByName(ModelInterface interface) {
  std::ranges::sort(interface.inputs, {}, &NamedPlace::name);
  std::ranges::sort(interface.outputs, {}, &NamedPlace::name);
  return interface;
}

SavedObjectGraph WriteObjectGraph(
    const checkpoint_internal::ObjectGraph& objects,
    const ModelInterface& interface, const ModelResources& resources) {
  return ObjectGraphWriter(objects, interface, resources).Write();
}

}  // namespace lockstep::export_internal
