#include "reference/training/model/model_losses.h"

#include <algorithm>

#include "reference/autodiff/distribution_context.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/base/error.h"

namespace lockstep {
namespace {

using losses::Reduction;

// The number of elements of the per-example losses on all replicas. A replica
// without rows cannot know it, and does not need it because its sum is 0.
double ElementsOfAll(const Tensor& per_example, int64_t global_rows) {
  const int64_t rows = per_example.rank() == 0 ? 1 : per_example.dim(0);
  if (rows == 0) return 1;
  return static_cast<double>(per_example.num_elements() / rows) *
         static_cast<double>(global_rows);
}

void Accumulate(Tensor& sum, const Tensor& part) {
  sum = sum.defined() ? ops::Add(sum, part) : part;
}

// The number of losses that count, here and on all replicas; undefined if all do.
struct Counts {
  Tensor here;
  Tensor of_all;
};

Counts CountsOf(const losses::Loss& loss, const Tensor& labels) {
  const Tensor counted = loss.Counted(labels);
  if (!counted.defined()) return {};
  const Tensor here = ops::ReduceSum(counted);
  return {here,
          DistributionContext::Current().AllReduce(ReduceOp::kSum, {here})[0]};
}

void AddLoss(const OutputLoss& output, const Tensor& per_example,
             const Counts& counts, int64_t global_rows, LossPart& part) {
  const Tensor sum = ops::ReduceSum(per_example);
  const Tensor mean =
      counts.of_all.defined()
          ? losses::MeanOfCounted(sum, counts.of_all)
          : ops::Scale(sum, 1 / ElementsOfAll(per_example, global_rows));
  const Reduction reduction = output.loss->reduction();
  const bool summed =
      reduction == Reduction::kSum || reduction == Reduction::kNone;
  const Tensor& reported = reduction == Reduction::kSum ? sum : mean;
  Accumulate(part.trained, ops::Scale(summed ? sum : mean, output.weight));
  Accumulate(part.reported, ops::Scale(reported, output.weight));
  part.each.push_back(reported);
}

}  // namespace

std::vector<Tensor> ForOutputs(const Structure& structure, size_t outputs,
                               const char* what) {
  std::vector<Tensor> leaves = structure.Flatten();
  if (leaves.size() == outputs) return leaves;
  throw InvalidArgument("[Fit] the model has {} outputs, got {} of {}", outputs,
                        leaves.size(), what);
}

std::vector<std::optional<Tensor>> WeightsForOutputs(const Batch& batch,
                                                     size_t outputs) {
  std::vector<std::optional<Tensor>> weights(outputs);
  if (!batch.sample_weight) return weights;
  const std::vector<Tensor> given = batch.sample_weight->Flatten();
  if (given.size() == 1) {
    std::ranges::fill(weights, given[0]);
  } else {
    std::ranges::copy(
        ForOutputs(*batch.sample_weight, outputs, "sample weights"),
        weights.begin());
  }
  return weights;
}

std::vector<std::string> ModelLosses::names() const {
  std::vector<std::string> names;
  for (const OutputLoss& output : outputs_) {
    if (output.loss) names.push_back(output.output + "_loss");
  }
  return names;
}

void ModelLosses::AddLosses(const Batch& batch, const Structure& predictions,
                            int64_t global_rows, LossPart& part) const {
  if (!batch.y) {
    throw InvalidArgument("[Fit] the model has a loss, the data no labels");
  }
  const auto outputs = ForOutputs(predictions, outputs_.size(), "predictions");
  const auto labels = ForOutputs(*batch.y, outputs_.size(), "labels");
  const auto weights = WeightsForOutputs(batch, outputs_.size());
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (!outputs_[i].loss) continue;
    const Counts counts = CountsOf(*outputs_[i].loss, labels[i]);
    if (counts.here.defined() && has_one_loss()) {
      part.weight = counts.here;
      part.global_weight = counts.of_all;
    }
    AddLoss(outputs_[i],
            outputs_[i].loss->PerExample(labels[i], outputs[i], weights[i]),
            counts, global_rows, part);
  }
}

bool ModelLosses::has_losses() const {
  return std::ranges::any_of(outputs_, [](const OutputLoss& output) {
    return output.loss != nullptr;
  });
}

bool ModelLosses::has_one_loss() const {
  return std::ranges::count_if(outputs_, [](const OutputLoss& output) {
           return output.loss != nullptr;
         }) == 1;
}

LossPart ModelLosses::operator()(const Batch& batch,
                                 const Structure& predictions,
                                 const std::vector<Tensor>& penalties,
                                 int64_t global_rows) const {
  LossPart part;
  part.weight = Tensor::Scalar(static_cast<float>(Rows(batch.x)));
  part.global_weight = Tensor::Scalar(static_cast<float>(global_rows));
  if (has_losses()) AddLosses(batch, predictions, global_rows, part);
  if (!penalties.empty() || !part.trained.defined()) {
    const Tensor penalty = ScaleRegularizationLoss(penalties);
    Accumulate(part.trained, penalty);
    Accumulate(part.reported, penalty);
  }
  return part;
}

}  // namespace lockstep
