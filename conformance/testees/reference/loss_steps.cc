// loss.*: losses and their scaling over replicas.
#include <map>
#include <memory>

#include "conformance/testees/reference/step_call.h"
#include "conformance/testees/reference/step_table.h"
#include "reference/losses/compute_average_loss.h"
#include "reference/losses/mean_absolute_error.h"
#include "reference/losses/mean_squared_error.h"
#include "reference/losses/scale_regularization_loss.h"
#include "reference/losses/sparse_categorical_crossentropy.h"

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

}  // namespace lockstep::conformance
