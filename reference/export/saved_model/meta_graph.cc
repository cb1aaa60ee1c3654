#include "reference/export/saved_model/meta_graph.h"

#include <utility>

#include "reference/export/saved_model/node_writer.h"
#include "reference/export/saved_model/object_graph_writer.h"

namespace lockstep::export_internal {
namespace {

constexpr int kProducer = 1882;  // the version of TensorFlow 2.21's graphs
constexpr int kMinConsumer = 12;
constexpr int kSaverVersion = 2;  // checkpoints of an index and data files

class MetaGraphWriter {
 public:
  MetaGraphWriter(const ModelInterface& sorted,
                  const std::vector<VariablePtr>& variables,
                  saved_model::MetaGraphDef& meta_graph)
      : interface_(sorted), variables_(variables), meta_graph_(meta_graph) {}

  void Write(const std::vector<std::string>& keys) {
    meta_graph_.mutable_meta_info_def()->add_tags("serve");
    auto& versions = *meta_graph_.mutable_graph_def()->mutable_versions();
    versions.set_producer(kProducer);
    versions.set_min_consumer(kMinConsumer);
    for (size_t i = 0; i < variables_.size(); ++i) AddVariable(i);
    AddCall();
    AddRestore(keys);
  }

 private:
  void Add(const std::string& op, const std::string& name,
           const std::vector<std::string>& inputs,
           const Attributes& attributes) {
    *meta_graph_.mutable_graph_def()->add_node() =
        MakeNode(op, name, inputs, attributes);
  }

  static std::string VariableName(size_t i) {
    return "variable_" + std::to_string(i);
  }

  int VariableType(size_t i) const {
    return TypeNumber(variables_[i]->dtype());
  }

  void AddVariable(size_t i) {
    Add("VarHandleOp", VariableName(i), {},
        {{"dtype", TypeAttribute(VariableType(i))},
         {"shape", ShapeAttribute(variables_[i]->shape())},
         {"shared_name", TextAttribute(VariableName(i))},
         {"container", TextAttribute("")}});
  }

  static void SetInfo(saved_model::TensorInfo& info, const std::string& name,
                      const Shape& shape) {
    info.set_name(name);
    info.set_dtype(tensor_bundle::DT_FLOAT);
    *info.mutable_tensor_shape() = ShapeProto(shape);
  }

  void AddCall() {
    auto& signature = (*meta_graph_.mutable_signature_def())["serving_default"];
    signature.set_method_name("tensorflow/serving/predict");
    std::vector<std::string> inputs;
    std::vector<int> types,
        results(interface_.outputs.size(), tensor_bundle::DT_FLOAT);
    for (const NamedPlace& input : interface_.inputs) {
      inputs.push_back("serving_default_" + input.name);
      types.push_back(tensor_bundle::DT_FLOAT);
      Add("Placeholder", inputs.back(), {},
          {{"dtype", TypeAttribute(tensor_bundle::DT_FLOAT)},
           {"shape", ShapeAttribute(input.shape)}});
      SetInfo((*signature.mutable_inputs())[input.name], inputs.back() + ":0",
              input.shape);
    }
    for (size_t i = 0; i < variables_.size(); ++i) {
      inputs.push_back(VariableName(i));
      types.push_back(kResourceType);
    }
    AttrValue function;
    function.mutable_func()->set_name(kSignatureFunction);
    Add("StatefulPartitionedCall", "StatefulPartitionedCall", inputs,
        {{"Tin", TypesAttribute(types)},
         {"Tout", TypesAttribute(results)},
         {"f", function}});
    for (size_t i = 0; i < interface_.outputs.size(); ++i) {
      const NamedPlace& output = interface_.outputs[i];
      SetInfo((*signature.mutable_outputs())[output.name],
              "StatefulPartitionedCall:" + std::to_string(i), output.shape);
    }
  }

  void AddStrings(const std::string& name,
                  const std::vector<std::string>& values) {
    const Tensor strings = Tensor::FromVector(
        values, Shape{static_cast<int64_t>(values.size())}, Device::Host());
    Add("Const", name, {},
        {{"dtype", TypeAttribute(tensor_bundle::DT_STRING)},
         {"value", TensorAttribute(strings)}});
  }

  void AddRestore(const std::vector<std::string>& keys) {
    Add("Placeholder", "saver_filename", {},
        {{"dtype", TypeAttribute(tensor_bundle::DT_STRING)},
         {"shape", ShapeAttribute(Shape{})}});
    AddStrings("restore_names", keys);
    AddStrings("restore_slices", std::vector<std::string>(keys.size()));
    std::vector<int> types;
    for (size_t i = 0; i < keys.size(); ++i) types.push_back(VariableType(i));
    std::vector<std::string> assigned;
    if (!keys.empty()) {
      Add("RestoreV2", "RestoreV2",
          {"saver_filename", "restore_names", "restore_slices"},
          {{"dtypes", TypesAttribute(types)}});
    }
    for (size_t i = 0; i < keys.size(); ++i) {
      const std::string name = "assign_" + std::to_string(i);
      Add("AssignVariableOp", name,
          {VariableName(i), "RestoreV2:" + std::to_string(i)},
          {{"dtype", TypeAttribute(VariableType(i))}});
      assigned.push_back("^" + name);
    }
    Add("NoOp", "restore_all", assigned, {});
    saved_model::SaverDef& saver = *meta_graph_.mutable_saver_def();
    saver.set_filename_tensor_name("saver_filename:0");
    saver.set_save_tensor_name("saver_filename:0");
    saver.set_restore_op_name("restore_all");
    saver.set_version(kSaverVersion);
  }

  const ModelInterface& interface_;
  const std::vector<VariablePtr>& variables_;
  saved_model::MetaGraphDef& meta_graph_;
};

}  // namespace

void WriteMetaGraph(const ModelInterface& sorted,
                    const std::vector<VariablePtr>& variables,
                    const std::vector<std::string>& keys,
                    saved_model::MetaGraphDef& meta_graph) {
  MetaGraphWriter(sorted, variables, meta_graph).Write(keys);
}

}  // namespace lockstep::export_internal
