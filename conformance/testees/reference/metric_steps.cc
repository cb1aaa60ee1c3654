// metric.*: accumulators over replicas.
#include <functional>
#include <map>

#include "conformance/testees/reference/step_call.h"
#include "conformance/testees/reference/step_table.h"
#include "reference/base/check.h"
#include "reference/metrics/accuracy.h"
#include "reference/metrics/confusion.h"
#include "reference/metrics/mean.h"
#include "reference/metrics/mean_error.h"
#include "reference/metrics/sparse_categorical_accuracy.h"
#include "reference/metrics/sum.h"

namespace lockstep::conformance {
namespace {

using MetricPtr = std::shared_ptr<Metric>;

template <typename Kind>
MetricPtr Make() {
  return std::make_shared<Kind>();
}

const std::map<std::string, std::function<MetricPtr()>> kKinds = {
    {"mean", Make<Mean>},
    {"sum", Make<Sum>},
    {"accuracy", Make<Accuracy>},
    {"sparse_categorical_accuracy", Make<SparseCategoricalAccuracy>},
    {"mean_squared_error", Make<MeanSquaredError>},
    {"root_mean_squared_error", Make<RootMeanSquaredError>},
    {"mean_absolute_error", Make<MeanAbsoluteError>},
    {"precision", Make<Precision>},
    {"recall", Make<Recall>},
    {"true_positives", Make<TruePositives>}};

Value Create(const StepCall& call) { return call.Choose(kKinds, "kind")(); }

template <typename Kind>
bool UpdateByValues(Metric& metric, const StepCall& call) {
  auto* const own = dynamic_cast<Kind*>(&metric);
  if (!own) return false;
  own->UpdateState(call.GetTensor("values"), call.FindTensor("sample_weight"));
  return true;
}

template <typename Kind>
bool UpdateByPairs(Metric& metric, const StepCall& call) {
  auto* const own = dynamic_cast<Kind*>(&metric);
  if (!own) return false;
  own->UpdateState(call.GetTensor("labels"), call.GetTensor("predictions"),
                   call.FindTensor("sample_weight"));
  return true;
}

Value UpdateState(const StepCall& call) {
  const MetricPtr metric = call.Get<MetricPtr>("of");
  const bool is_known =
      UpdateByValues<Mean>(*metric, call) ||
      UpdateByValues<Sum>(*metric, call) ||
      UpdateByPairs<Accuracy>(*metric, call) ||
      UpdateByPairs<SparseCategoricalAccuracy>(*metric, call) ||
      UpdateByPairs<MeanSquaredError>(*metric, call) ||
      UpdateByPairs<MeanAbsoluteError>(*metric, call) ||
      UpdateByPairs<Confusion>(*metric, call);
  LOCKSTEP_CHECK(is_known);
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
