// The steps of the reference, by their names in operations.md.
#ifndef LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_STEP_TABLE_H_
#define LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_STEP_TABLE_H_

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "conformance/testees/reference/tested_devices.h"
#include "conformance/testees/reference/value.h"

namespace lockstep::conformance {

class StepCall;

using StepFunction = std::function<Value(const StepCall& call)>;
// Runs a step in place of its original function, which it may call.
using StepWrapper =
    std::function<Value(const StepFunction& original, const StepCall& call)>;

class StepTable {
 public:
  // REQUIRES: the name is new.
  void Add(const std::string& name, StepFunction function);
  // Wraps the steps whose names begin with `prefix`.
  void Wrap(std::string_view prefix, const StepWrapper& wrapper);
  // nullptr if there is none.
  const StepFunction* Find(std::string_view name) const;

  const std::map<std::string, StepFunction, std::less<>>& steps() const {
    return steps_;
  }

 private:
  std::map<std::string, StepFunction, std::less<>> steps_;
};

// One function per group of steps.
void AddCallbackSteps(StepTable& table);
void AddCheckpointSteps(StepTable& table);
// After those of inputs and strategies, some of which it wraps.
void AddCoordinatorSteps(StepTable& table);
void AddDatasetSteps(StepTable& table);
void AddExampleSteps(StepTable& table);
void AddExportSteps(StepTable& table);
void AddFileSteps(StepTable& table);
void AddGroupingSteps(StepTable& table);
void AddFunctionSteps(StepTable& table);
void AddGradientSteps(StepTable& table);
void AddGraphSteps(StepTable& table);
void AddInputSteps(StepTable& table);
void AddJobSteps(StepTable& table);
void AddLayerSteps(StepTable& table);
void AddLearnedModelSteps(StepTable& table);
void AddLoaderSteps(StepTable& table);
void AddLossSteps(StepTable& table);
void AddManagerSteps(StepTable& table);
void AddMetricSteps(StepTable& table);
void AddModelSteps(StepTable& table);
void AddOptimizerSteps(StepTable& table);
void AddPartitionerSteps(StepTable& table);
void AddPrecisionSteps(StepTable& table);
void AddPreprocessingSteps(StepTable& table);
void AddProgramSteps(StepTable& table);
void AddStrategySteps(StepTable& table, const TestedDevices& devices);
void AddTrainSteps(StepTable& table);
void AddValueSteps(StepTable& table);
void AddVariableSteps(StepTable& table);
void AddWorkerSteps(StepTable& table);

// All steps. Datasets are on the host, whatever device is tested.
StepTable MakeStepTable(const TestedDevices& devices = TestedDevices());

}  // namespace lockstep::conformance

#endif  // LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_STEP_TABLE_H_
