#include "conformance/testees/reference/step_table.h"

#include "reference/base/check.h"

namespace lockstep::conformance {

void StepTable::Add(const std::string& name, StepFunction function) {
  const bool is_new = steps_.emplace(name, std::move(function)).second;
  LOCKSTEP_CHECK(is_new);
}

void StepTable::Wrap(std::string_view prefix, const StepWrapper& wrapper) {
  for (auto& [name, function] : steps_) {
    if (!name.starts_with(prefix)) continue;
    function = [wrapper, original = std::move(function)](const StepCall& call) {
      return wrapper(original, call);
    };
  }
}

const StepFunction* StepTable::Find(std::string_view name) const {
  const auto found = steps_.find(name);
  return found == steps_.end() ? nullptr : &found->second;
}

namespace {

Value OnHost(const StepFunction& original, const StepCall& call) {
  const DeviceScope host(Device::Host());
  return original(call);
}

}  // namespace

StepTable MakeStepTable(const TestedDevices& devices) {
  StepTable table;
  AddCallbackSteps(table);
  AddCheckpointSteps(table);
  AddDatasetSteps(table);
  AddExampleSteps(table);
  AddExportSteps(table);
  AddFileSteps(table);
  AddGroupingSteps(table);
  AddFunctionSteps(table);
  AddGradientSteps(table);
  AddGraphSteps(table);
  AddInputSteps(table);
  AddJobSteps(table);
  AddLayerSteps(table);
  AddLearnedModelSteps(table);
  AddLoaderSteps(table);
  AddLossSteps(table);
  AddManagerSteps(table);
  AddMetricSteps(table);
  AddModelSteps(table);
  AddOptimizerSteps(table);
  AddPartitionerSteps(table);
  AddPrecisionSteps(table);
  AddPreprocessingSteps(table);
  AddProgramSteps(table);
  AddStrategySteps(table, devices);
  AddTrainSteps(table);
  AddValueSteps(table);
  AddVariableSteps(table);
  AddWorkerSteps(table);
  AddCoordinatorSteps(table);
  table.Wrap("dataset.", OnHost);
  return table;
}

}  // namespace lockstep::conformance
