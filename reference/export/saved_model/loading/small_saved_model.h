// Makes SavedModels of one function, for tests.
//
//   SmallSavedModel model;
//   const std::string x = model.Input("x", DType::kFloat32, Shape{2});
//   model.Output("y", model.nodes().AddFloat("Relu", {x}, "activations"));
//   model.Load().Run({{"x", Row({-1, 2})}}).at("y");   // [0, 2]
#ifndef LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_SMALL_SAVED_MODEL_H_
#define LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_SMALL_SAVED_MODEL_H_

#include <map>
#include <string>
#include <vector>

#include "reference/base/file_testing.h"
#include "reference/export/saved_model/loading/load_saved_model.h"
#include "reference/export/saved_model/node_writer.h"
#include "reference/tensor/tensor.h"

namespace lockstep {

class SmallSavedModel {
 public:
  SmallSavedModel() {
    graph().mutable_meta_info_def()->add_tags("serve");
    function().mutable_signature()->set_name("f");
    AddObject(0, "signatures");
    signature_ = AddObject(1, "serving_default");
    graph()
        .mutable_object_graph_def()
        ->mutable_nodes(signature_)
        ->mutable_bare_concrete_function()
        ->set_concrete_function_name("f");
    auto& arguments = *concrete().mutable_canonicalized_input_signature();
    arguments.mutable_tuple_value()->add_values()->mutable_tuple_value();
    arguments.mutable_tuple_value()->add_values()->mutable_dict_value();
    concrete().mutable_output_signature()->mutable_dict_value();
  }

  saved_model::MetaGraphDef& graph() {
    return file_.meta_graphs_size() == 0 ? *file_.add_meta_graphs()
                                         : *file_.mutable_meta_graphs(0);
  }
  saved_model::FunctionDef& function() {
    auto& all = *graph().mutable_graph_def()->mutable_library();
    return all.function_size() == 0 ? *all.add_function()
                                    : *all.mutable_function(0);
  }
  saved_model::FunctionDef& AddFunction() {
    return *graph().mutable_graph_def()->mutable_library()->add_function();
  }
  saved_model::SavedConcreteFunction& concrete() {
    return (
        *graph().mutable_object_graph_def()->mutable_concrete_functions())["f"];
  }
  export_internal::NodeWriter& nodes() { return nodes_; }

  std::string Input(const std::string& name, DType dtype, const Shape& shape) {
    graph()
        .mutable_object_graph_def()
        ->mutable_nodes(signature_)
        ->mutable_bare_concrete_function()
        ->add_argument_keywords(name);
    auto& fields = *concrete()
                        .mutable_canonicalized_input_signature()
                        ->mutable_tuple_value()
                        ->mutable_values(1)
                        ->mutable_dict_value()
                        ->mutable_fields();
    auto& spec = *fields[name].mutable_tensor_spec_value();
    spec.set_dtype(export_internal::TypeNumber(dtype));
    *spec.mutable_shape() = export_internal::ShapeProto(shape);
    function().mutable_signature()->add_input_arg()->set_name(name);
    return name;
  }
  void Output(const std::string& name, const std::string& value) {
    (*concrete()
          .mutable_output_signature()
          ->mutable_dict_value()
          ->mutable_fields())[name]
        .mutable_tensor_spec_value();
    function().mutable_signature()->add_output_arg()->set_name(name);
    (*function().mutable_ret())[name] = value;
  }

  SavedModel Load(const LoadSavedModelOptions& options = {}) const {
    WriteWholeFile(folder_ / "saved_model.pb", file_.SerializeAsString());
    return LoadSavedModel(folder_.path(), options);
  }
  // The only result, "y".
  Tensor Run(const std::map<std::string, Tensor>& inputs) const {
    return Load().Run(inputs).at("y");
  }

 private:
  int AddObject(int parent, const std::string& name) {
    auto& objects = *graph().mutable_object_graph_def();
    if (objects.nodes().empty()) objects.add_nodes();
    const int node = objects.nodes_size();
    objects.add_nodes();
    auto& child = *objects.mutable_nodes(parent)->add_children();
    child.set_local_name(name);
    child.set_node_id(node);
    return node;
  }

  TestFolder folder_;
  saved_model::SavedModel file_;
  int signature_ = 0;
  export_internal::NodeWriter nodes_{function()};
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_SMALL_SAVED_MODEL_H_
