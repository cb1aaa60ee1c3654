// loss.*: losses and their scaling over replicas.
// metric.*: accumulators over replicas.

#include <functional>
#include <map>
#include <memory>

#include "conformance/testees/reference/step_call.h"
#include "conformance/testees/reference/step_table.h"
#include "reference/base/check.h"
#include "reference/losses/cross_entropy.h"
#include "reference/losses/loss.h"
#include "reference/losses/regression_losses.h"
#include "reference/metrics/accuracy.h"
#include "reference/metrics/auc.h"
#include "reference/metrics/f1_score.h"
#include "reference/metrics/mean_iou.h"
#include "reference/metrics/metric.h"

namespace lockstep::conformance {
namespace {

Value ComputeAverage(const StepCall& call) {
  AverageLossOptions options{.sample_weight = call.FindTensor("sample_weight")};
  if (call.Has("global_batch_size")) {
    options.global_batch_size = call.Integer("global_batch_size");
  }
  return Structure(ComputeAverageLoss(call.GetTensor("of"), options));
}

Value ScaleRegularization(const StepCall& call) {
  return Structure(ScaleRegularizationLoss(call.GetTensor("of")));
}

std::unique_ptr<losses::Loss> MakeLoss(const std::string& kind,
                                       losses::Reduction reduction) {
  if (kind == "mean_squared_error") {
    return std::make_unique<losses::MeanSquaredError>(
        losses::MeanSquaredErrorOptions{.reduction = reduction});
  }
  if (kind == "mean_absolute_error") {
    return std::make_unique<losses::MeanAbsoluteError>(
        losses::MeanAbsoluteErrorOptions{.reduction = reduction});
  }
  if (kind == "sparse_categorical_crossentropy") {
    return std::make_unique<losses::SparseCategoricalCrossentropy>(
        losses::SparseCategoricalCrossentropyOptions{.from_logits = true,
                                                     .reduction = reduction});
  }
  throw ProgramError("unknown kind of loss: " + kind);
}

const std::map<std::string, losses::Reduction> kReductions = {
    {"none", losses::Reduction::kNone},
    {"sum", losses::Reduction::kSum},
    {"sum_over_batch_size", losses::Reduction::kSumOverBatchSize},
    {"auto", losses::Reduction::kAuto}};

Value Compute(const StepCall& call) {
  const losses::Reduction reduction = call.Choose(kReductions, "reduction");
  const auto loss = MakeLoss(call.Text("kind"), reduction);
  return Structure((*loss)(call.GetTensor("labels"),
                           call.GetTensor("predictions"),
                           call.FindTensor("sample_weight")));
}

}  // namespace

void AddLossSteps(StepTable& table) {
  table.Add("loss.compute_average", ComputeAverage);
  table.Add("loss.scale_regularization", ScaleRegularization);
  table.Add("loss.compute", Compute);
}

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
    {"f1_score", Make<F1Score>},
    {"true_positives", Make<TruePositives>}};

const std::map<std::string, AucCurve> kCurves = {
    {"ROC", AucCurve::kRoc}, {"PR", AucCurve::kPrecisionRecall}};

const std::map<std::string, AucSummation> kSummations = {
    {"interpolation", AucSummation::kInterpolation},
    {"minoring", AucSummation::kMinoring},
    {"majoring", AucSummation::kMajoring}};

MetricPtr MakeAuc(const StepCall& call) {
  const AucOptions defaults;
  return std::make_shared<Auc>(AucOptions{
      .num_thresholds = call.Integer("num_thresholds", defaults.num_thresholds),
      .curve = call.Choose(kCurves, "curve", defaults.curve),
      .summation =
          call.Choose(kSummations, "summation_method", defaults.summation)});
}

Value Create(const StepCall& call) {
  const std::string kind = call.Text("kind");
  if (kind == "auc") return MakeAuc(call);
  if (kind == "mean_iou") {
    return MetricPtr(std::make_shared<MeanIou>(call.Integer("num_classes")));
  }
  return call.Choose(kKinds, "kind")();
}

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
      UpdateByPairs<Auc>(*metric, call) ||
      UpdateByPairs<MeanIou>(*metric, call) ||
      UpdateByPairs<Confusion>(*metric, call);
  LOCKSTEP_CHECK(is_known);
  return Nothing();
}

Value Result(const StepCall& call) {
  return Json(call.Get<MetricPtr>("of")->Result());
}

// A variable made by AddState; its name ends in "/total" or "/count".
Value StateOf(const StepCall& call) {
  const std::string ending = "/" + call.Text("name");
  for (const VariablePtr& state : call.Get<MetricPtr>("of")->variables()) {
    if (state->name().ends_with(ending)) return state;
  }
  throw ProgramError("a metric has no state" + ending);
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
  table.Add("metric.state", StateOf);
  table.Add("metric.reset_state", ResetState);
}

}  // namespace lockstep::conformance
