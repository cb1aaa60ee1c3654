#include "reference/export/saved_model/export_saved_model.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/base/files/file_bytes.h"
#include "reference/base/files/new_folder.h"
#include "reference/checkpoint/object_graph.h"
#include "reference/export/saved_model/meta_graph.h"
#include "reference/export/saved_model/model_function.h"
#include "reference/export/saved_model/object_graph_writer.h"
#include "reference/tensor_bundle/tensor_bundle.h"

namespace lockstep {
namespace {

using namespace export_internal;  // NOLINT: of this folder
using checkpoint_internal::kObjectGraphKey;
using checkpoint_internal::ObjectGraph;

// The root object that loaders see. It has lists of variables, as in Keras'
// export.
class ExportRoot : public Trackable {
 public:
  explicit ExportRoot(const Layer& model) {
    TrackList("variables", variables_, model.variables());
    TrackList("trainable_variables", trainable_, model.trainable_variables());
    TrackList("non_trainable_variables", non_trainable_,
              model.non_trainable_variables());
  }

 private:
  void TrackList(const std::string& name, TrackableList& list,
                 const std::vector<VariablePtr>& variables) {
    for (const VariablePtr& variable : variables) list.Append(*variable);
    TrackChild(name, list);
  }

  TrackableList variables_;
  TrackableList trainable_;
  TrackableList non_trainable_;
};

// Writes maps in the order of their keys, so that the same model gives the same
// bytes.
std::string Serialize(const google::protobuf::Message& message) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream out(&bytes);
    google::protobuf::io::CodedOutputStream coded(&out);
    coded.SetSerializationDeterministic(true);
    message.SerializeToCodedStream(&coded);
  }
  return bytes;
}

void WriteVariables(const ObjectGraph& objects, const std::string& prefix) {
  TensorBundleWriter writer(prefix);
  for (const ObjectGraph::KeyedValue& value : objects.values) {
    writer.Add(value.key, value.value.save());
  }
  writer.Add(kObjectGraphKey,
             Tensor::Scalar(Serialize(checkpoint_internal::ToProto(objects)),
                            Device::Host()));
  writer.Finish();
}

// Each variable's key in the checkpoint.
std::vector<std::string> KeysOf(const ObjectGraph& objects,
                                const std::vector<VariablePtr>& variables) {
  std::map<int, std::string> keys;
  for (const auto& value : objects.values) keys[value.node] = value.key;
  std::vector<std::string> ordered;
  for (const VariablePtr& variable : variables) {
    ordered.push_back(keys.at(objects.node_of.at(variable.get())));
  }
  return ordered;
}

saved_model::SavedModel MakeSavedModel(const Layer& model,
                                       const ObjectGraph& objects) {
  const ModelResources resources = ResourcesOf(model);
  const ModelInterface interface = InterfaceOf(model.impl(), resources);
  const ModelInterface sorted = SortedByName(interface);
  saved_model::SavedModel saved;
  saved.set_saved_model_schema_version(1);
  saved_model::MetaGraphDef& meta_graph = *saved.add_meta_graphs();
  auto& library = *meta_graph.mutable_graph_def()->mutable_library();
  *library.add_function() =
      WriteFunction(kSignatureFunction, model.impl(), sorted, resources);
  *library.add_function() =
      WriteFunction(kServeFunction, model.impl(), interface, resources);
  for (size_t i = 0; i < resources.tables.size(); ++i) {
    AddTableFunctions(resources.tables[i], i, library);
  }
  WriteMetaGraph(sorted, resources, KeysOf(objects, resources.variables),
                 meta_graph);
  *meta_graph.mutable_object_graph_def() =
      WriteObjectGraph(objects, interface, resources);
  return saved;
}

}  // namespace

void ExportSavedModel(const Layer& model, const std::string& folder) {
  GraphOf(model.impl());  // throws if the model cannot be exported
  ExportRoot root(model);
  const ObjectGraph objects = checkpoint_internal::WalkObjectGraph(root);
  const std::string saved = Serialize(MakeSavedModel(model, objects));
  saved_model::FingerprintDef fingerprint;
  fingerprint.mutable_version()->set_producer(1);

  NewFolder made(folder);
  made.MakeFolder("assets");
  made.MakeFolder("variables");
  WriteVariables(objects, made / "variables/variables");
  WriteFileBytes(made / "fingerprint.pb", Serialize(fingerprint));
  WriteFileBytes(made / "saved_model.pb", saved);
  made.Commit();
}

}  // namespace lockstep
