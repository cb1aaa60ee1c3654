#include "reference/training/model/model_losses.h"

#include <algorithm>
#include <optional>

#include "reference/autodiff/ops/math_ops.h"
#include "reference/base/error.h"

namespace lockstep {
namespace {

using losses::Reduction;

// Elements of the per-example losses that all replicas have together. A replica
// without rows cannot know them, and need not: its sum is 0.
double ElementsOfAll(const Tensor& per_example, int64_t global_rows) {
  const int64_t rows = per_example.rank() == 0 ? 1 : per_example.dim(0);
  if (rows == 0) return 1;
  return static_cast<double>(per_example.num_elements() / rows) *
         static_cast<double>(global_rows);
}

void Accumulate(Tensor& sum, const Tensor& part) {
  sum = sum.defined() ? ops::Add(sum, part) : part;
}

}  // namespace

std::vector<Tensor> ForOutputs(const Structure& structure, size_t outputs,
                               const char* what) {
  std::vector<Tensor> leaves = structure.Flatten();
  if (leaves.size() == outputs) return leaves;
  throw InvalidArgument("[Fit] the model has {} outputs, got {} of {}", outputs,
                        leaves.size(), what);
}

std::vector<std::string> ModelLosses::names() const {
  std::vector<std::string> names;
  for (const OutputLoss& output : outputs_) {
    if (output.loss) names.push_back(output.output + "_loss");
  }
  return names;
}

LossPart ModelLosses::operator()(const Batch& batch,
                                 const Structure& predictions,
                                 const std::vector<Tensor>& penalties,
                                 int64_t global_rows) const {
  LossPart part;
  const auto has_loss = [](const OutputLoss& o) { return o.loss != nullptr; };
  if (std::ranges::any_of(outputs_, has_loss)) {
    if (!batch.y) {
      throw InvalidArgument("[Fit] the model has a loss, the data no labels");
    }
    const auto outputs =
        ForOutputs(predictions, outputs_.size(), "predictions");
    const auto labels = ForOutputs(*batch.y, outputs_.size(), "labels");
    std::vector<std::optional<Tensor>> weights(outputs_.size());
    if (batch.sample_weight) {
      const auto leaves = batch.sample_weight->Flatten();
      const auto given = leaves.size() == 1
                             ? std::vector<Tensor>(outputs_.size(), leaves[0])
                             : ForOutputs(*batch.sample_weight, outputs_.size(),
                                          "sample weights");
      std::ranges::copy(given, weights.begin());
    }
    for (size_t i = 0; i < outputs_.size(); ++i) {
      const OutputLoss& output = outputs_[i];
      if (!output.loss) continue;
      const Tensor each =
          output.loss->PerExample(labels[i], outputs[i], weights[i]);
      const Tensor sum = ops::ReduceSum(each);
      const Tensor mean = ops::Scale(sum, 1 / ElementsOfAll(each, global_rows));
      const Reduction reduction = output.loss->reduction();
      const bool summed =
          reduction == Reduction::kSum || reduction == Reduction::kNone;
      const Tensor& told = reduction == Reduction::kSum ? sum : mean;
      Accumulate(part.learned, ops::Scale(summed ? sum : mean, output.weight));
      Accumulate(part.told, ops::Scale(told, output.weight));
      part.each.push_back(told);
    }
  }
  if (!penalties.empty() || !part.learned.defined()) {
    const Tensor penalty = ScaleRegularizationLoss(penalties);
    Accumulate(part.learned, penalty);
    Accumulate(part.told, penalty);
  }
  return part;
}

}  // namespace lockstep
