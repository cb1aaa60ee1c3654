// model.*, saved_model.*: files of whole models, and their parts.
#include <memory>
#include <string>

#include "conformance/testees/reference/step_call.h"
#include "conformance/testees/reference/step_table.h"
#include "reference/export/saved_model/loading/load_saved_model.h"
#include "reference/tensor_bundle/tensor_bundle.h"
#include "reference/training/model/model.h"
#include "reference/training/model/model_file.h"

namespace lockstep::conformance {
namespace {

Value Save(const StepCall& call) {
  call.Get<Model>("of").Save(call.Path("path"));
  return Nothing();
}

Value Load(const StepCall& call) {
  return LoadModel(call.PathOrFound(),
                   {.compile = call.Boolean("compile", true)});
}

Value Weight(const StepCall& call) {
  const std::vector<VariablePtr> variables = call.Get<Model>("of").variables();
  const int64_t index = call.Integer("index");
  if (index < 0 || index >= std::ssize(variables)) {
    throw ProgramError("there is no weight " + std::to_string(index));
  }
  return variables[index];
}

// The optimizer belongs to the model and keeps it alive.
Value OptimizerOf(const StepCall& call) {
  const auto model = std::make_shared<Model>(call.Get<Model>("of"));
  return std::shared_ptr<Optimizer>(model, &model->optimizer());
}

Value Export(const StepCall& call) {
  call.Get<Model>("of").Export(call.Path("folder"));
  return Nothing();
}

// All tensors of the bundle except strings, which describe the objects.
Value ExportedVariables(const StepCall& call) {
  const TensorBundleReader bundle(call.Path("folder") + "/variables/variables");
  Json values = Json::array();
  for (const std::string& key : bundle.keys()) {
    if (bundle.Spec(key).dtype == DType::kString) continue;
    values.push_back(ToObservation(bundle.Read(key)));
  }
  return values;
}

Value LoadGraph(const StepCall& call) {
  return LoadSavedModel(call.Path("folder"));
}

Value RunGraph(const StepCall& call) {
  const auto model = call.Get<SavedModel>("of");
  if (model.inputs().size() != 1 || model.outputs().size() != 1) {
    throw ProgramError("the graph has several arguments or results");
  }
  const std::string& name = model.inputs().begin()->first;
  return Structure(model.Run({{name, call.GetTensor("x")}}).begin()->second);
}

}  // namespace

void AddExportSteps(StepTable& table) {
  table.Add("model.save", Save);
  table.Add("model.load", Load);
  table.Add("model.weight", Weight);
  table.Add("model.optimizer", OptimizerOf);
  table.Add("model.export", Export);
  table.Add("model.exported_variables", ExportedVariables);
  table.Add("saved_model.load", LoadGraph);
  table.Add("saved_model.run", RunGraph);
}

}  // namespace lockstep::conformance
