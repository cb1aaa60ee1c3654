// The steps the reference can do, by their names in operations.md.
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
// Does a step, or has its usual function do it.
using StepWrapper =
    std::function<Value(const StepFunction& usual, const StepCall& call)>;

class StepTable {
 public:
  // REQUIRES: each name once.
  void Add(const std::string& name, StepFunction function);
  // Steps whose names begin so are done by `wrapper`.
  void Wrap(std::string_view prefix, const StepWrapper& wrapper);
  // nullptr when there is none.
  const StepFunction* Find(std::string_view name) const;

  const std::map<std::string, StepFunction, std::less<>>& steps() const {
    return steps_;
  }

 private:
  std::map<std::string, StepFunction, std::less<>> steps_;
};

// One function a group of steps.
void AddCallbackSteps(StepTable& table);
void AddCheckpointSteps(StepTable& table);
void AddDatasetSteps(StepTable& table);
void AddExportSteps(StepTable& table);
void AddFileSteps(StepTable& table);
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
void AddPrecisionSteps(StepTable& table);
void AddProgramSteps(StepTable& table);
void AddStrategySteps(StepTable& table, const TestedDevices& devices);
void AddTrainSteps(StepTable& table);
void AddValueSteps(StepTable& table);
void AddVariableSteps(StepTable& table);
void AddWorkerSteps(StepTable& table);

// All of them. Datasets are made on the host, whatever is tested.
StepTable MakeStepTable(const TestedDevices& devices = TestedDevices());

}  // namespace lockstep::conformance

#endif  // LOCKSTEP_CONFORMANCE_TESTEES_REFERENCE_STEP_TABLE_H_
