// metric.*: accumulators over replicas.
#include "conformance/testees/reference/step_call.h"
#include "conformance/testees/reference/step_table.h"
#include "reference/metrics/mean.h"
#include "reference/metrics/sparse_categorical_accuracy.h"

namespace lockstep::conformance {
namespace {

using MetricPtr = std::shared_ptr<Metric>;

Value Create(const StepCall& call) {
  const std::string kind = call.Text("kind");
  if (kind == "mean") return MetricPtr(std::make_shared<Mean>());
  if (kind == "sparse_categorical_accuracy") {
    return MetricPtr(std::make_shared<SparseCategoricalAccuracy>());
  }
  throw ProgramError("unknown kind of metric: " + kind);
}

Value UpdateState(const StepCall& call) {
  const MetricPtr metric = call.Get<MetricPtr>("of");
  const std::optional<Tensor> weight = call.FindTensor("sample_weight");
  if (auto* mean = dynamic_cast<Mean*>(metric.get())) {
    mean->UpdateState(call.GetTensor("values"), weight);
  } else if (auto* accuracy =
                 dynamic_cast<SparseCategoricalAccuracy*>(metric.get())) {
    accuracy->UpdateState(call.GetTensor("labels"),
                          call.GetTensor("predictions"), weight);
  }
  return Nothing();
}

Value Result(const StepCall& call) {
  return Json(call.Get<MetricPtr>("of")->Result());
}

Value ResetState(const StepCall& call) {
  call.Get<MetricPtr>("of")->ResetState();
  return Nothing();
}

}  // namespace

void AddMetricSteps(StepTable& table) {
  table.Add("metric.create", Create);
  table.Add("metric.update_state", UpdateState);
  table.Add("metric.result", Result);
  table.Add("metric.reset_state", ResetState);
}

}  // namespace lockstep::conformance
