#include "reference/export/saved_model/meta_graph.h"

#include <utility>

#include "reference/export/saved_model/node_writer.h"
#include "reference/export/saved_model/object_graph_writer.h"

namespace lockstep::export_internal {
namespace {

constexpr int kProducer = 1882;  // the version of TensorFlow 2.21's graphs
constexpr int kMinConsumer = 12;
constexpr char kInitSignature[] = "__saved_model_init_op";
constexpr int kSaverVersion = 2;  // checkpoints of an index and data files

class MetaGraphWriter {
 public:
  MetaGraphWriter(const ModelInterface& sorted, const ModelResources& resources,
                  saved_model::MetaGraphDef& meta_graph)
      : interface_(sorted),
        variables_(resources.variables),
        tables_(resources.tables),
        meta_graph_(meta_graph) {}

  void Write(const std::vector<std::string>& keys) {
    meta_graph_.mutable_meta_info_def()->add_tags("serve");
    auto& versions = *meta_graph_.mutable_graph_def()->mutable_versions();
    versions.set_producer(kProducer);
    versions.set_min_consumer(kMinConsumer);
    for (size_t i = 0; i < variables_.size(); ++i) AddVariable(i);
    for (size_t i = 0; i < tables_.size(); ++i) AddTable(i);
    AddCall();
    AddRestore(keys);
    if (!tables_.empty()) AddInitializers();
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

  static std::string TableName(size_t i) {
    return "table_" + std::to_string(i);
  }

  void AddTable(size_t i) {
    *meta_graph_.mutable_graph_def()->add_node() =
        MakeTableNode(tables_[i], TableName(i));
  }

  // The operation that loaders without objects run.
  void AddInitializers() {
    std::vector<std::string> filled;
    for (size_t i = 0; i < tables_.size(); ++i) {
      const std::string name = "fill_" + std::to_string(i);
      Add("StatefulPartitionedCall", name, {TableName(i)},
          {{"Tin", TypesAttribute({kResourceType})},
           {"Tout", TypesAttribute({tensor_bundle::DT_INT32})},
           {"f", FunctionAttribute(InitializerName(i))}});
      filled.push_back("^" + name);
    }
    Add("NoOp", "fill_tables", filled, {});
    auto& signature = (*meta_graph_.mutable_signature_def())[kInitSignature];
    (*signature.mutable_outputs())[kInitSignature].set_name("fill_tables");
  }

  static void SetInfo(saved_model::TensorInfo& info, const std::string& name,
                      const NamedPlace& place) {
    info.set_name(name);
    info.set_dtype(TypeNumber(place.dtype));
    *info.mutable_tensor_shape() = ShapeProto(place.shape);
  }

  void AddCall() {
    auto& signature = (*meta_graph_.mutable_signature_def())["serving_default"];
    signature.set_method_name("tensorflow/serving/predict");
    std::vector<std::string> inputs;
    std::vector<int> types, results;
    for (const NamedPlace& input : interface_.inputs) {
      inputs.push_back("serving_default_" + input.name);
      types.push_back(TypeNumber(input.dtype));
      Add("Placeholder", inputs.back(), {},
          {{"dtype", TypeAttribute(types.back())},
           {"shape", ShapeAttribute(input.shape)}});
      SetInfo((*signature.mutable_inputs())[input.name], inputs.back() + ":0",
              input);
    }
    for (size_t i = 0; i < variables_.size(); ++i) {
      inputs.push_back(VariableName(i));
      types.push_back(kResourceType);
    }
    for (size_t i = 0; i < tables_.size(); ++i) {
      inputs.push_back(TableName(i));
      types.push_back(kResourceType);
    }
    for (const NamedPlace& output : interface_.outputs) {
      results.push_back(TypeNumber(output.dtype));
    }
    Add("StatefulPartitionedCall", "StatefulPartitionedCall", inputs,
        {{"Tin", TypesAttribute(types)},
         {"Tout", TypesAttribute(results)},
         {"f", FunctionAttribute(kSignatureFunction)}});
    for (size_t i = 0; i < interface_.outputs.size(); ++i) {
      const NamedPlace& output = interface_.outputs[i];
      SetInfo((*signature.mutable_outputs())[output.name],
              "StatefulPartitionedCall:" + std::to_string(i), output);
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
  const std::vector<LookupTable>& tables_;
  saved_model::MetaGraphDef& meta_graph_;
};

}  // namespace

void WriteMetaGraph(const ModelInterface& sorted,
                    const ModelResources& resources,
                    const std::vector<std::string>& keys,
                    saved_model::MetaGraphDef& meta_graph) {
  MetaGraphWriter(sorted, resources, meta_graph).Write(keys);
}

}  // namespace lockstep::export_internal
