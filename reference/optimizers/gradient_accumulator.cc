#include "reference/optimizers/gradient_accumulator.h"

#include <algorithm>
#include <utility>

#include "reference/autodiff/ops/math_ops.h"
#include "reference/base/error.h"

namespace lockstep {

GradientAccumulator::GradientAccumulator(int steps) : steps_(steps) {
  if (steps < 1) {
    throw InvalidArgument(
        "[GradientAccumulator] steps must be positive, got {}", steps);
  }
  TrackChild("sums", list_);
}

void GradientAccumulator::Build(const std::vector<VariablePtr>& variables) {
  if (!sums_.empty()) return;
  for (const VariablePtr& variable : variables) {
    sums_.push_back(MakeVariable(
        {.initial_value =
             [&] {
               return Tensor::Zeros(variable->shape(), variable->dtype());
             },
         .name = variable->name() + "/gradient_sum",
         .trainable = false,
         .synchronization = VariableSynchronization::kOnRead,
         .aggregation = VariableAggregation::kSum}));
    list_.Append(*sums_.back());
  }
  reached_ = std::vector<std::atomic<bool>>(sums_.size());
  weight_ =
      MakeVariable({.initial_value = [] { return Tensor::Scalar(0.0); },
                    .name = "window_weight",
                    .trainable = false,
                    .synchronization = VariableSynchronization::kOnRead,
                    .aggregation = VariableAggregation::kOnlyFirstReplica});
  TrackChild("weight", *weight_);
}

void GradientAccumulator::Next() {
  if (done_ == 0) {
    for (std::atomic<bool>& reached : reached_) reached = false;
  }
  if (std::exchange(restored_, false)) FindReached();
  done_ = (done_ + 1) % steps_;
}

// A checkpoint has only the sums of a window: if a sum is not 0, an earlier
// step had a gradient for the variable.
void GradientAccumulator::FindReached() {
  for (size_t i = 0; i < sums_.size(); ++i) {
    const std::vector<double> sum =
        sums_[i]->Read().Cast(DType::kFloat64).ToVector<double>();
    const bool has_any =
        std::ranges::any_of(sum, [](double x) { return x != 0; });
    if (has_any) reached_[i] = true;
  }
}

namespace {

Tensor Over(const Tensor& sum, const Tensor& weight) {
  return ops::Divide(sum, weight.Cast(sum.dtype()));
}

}  // namespace

Gradients GradientAccumulator::Add(const Gradients& gradients,
                                   const Tensor& weight) {
  weight_->AssignAdd(weight.Cast(DType::kFloat64));
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i]) continue;
    reached_[i] = true;
    sums_[i]->AssignAdd(
        ops::Multiply(*gradients[i], weight.Cast(gradients[i]->dtype())));
  }
  Gradients means(gradients.size());
  if (!at_end()) return means;
  const Tensor all = ops::DivisorOf(weight_->Read());
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (!reached_[i]) continue;
    means[i] = Over(sums_[i]->Read(), all);
    sums_[i]->Assign(Tensor::Zeros(means[i]->shape(), means[i]->dtype()));
  }
  weight_->Assign(Tensor::Scalar(0.0));
  return means;
}

Gradients GradientAccumulator::SoFar() const {
  Gradients means(sums_.size());
  const Tensor all = ops::DivisorOf(weight_->Read());
  for (size_t i = 0; i < sums_.size(); ++i) {
    if (reached_[i]) means[i] = Over(sums_[i]->Read(), all);
  }
  return means;
}

std::vector<Trackable::Value> GradientAccumulator::values() {
  return {{.attribute = "STEP",
           .full_name = "accumulated_steps",
           .spec = {.shape = Shape{}, .dtype = DType::kInt64},
           .save = [this] { return Tensor::Scalar(done_); },
           .restore =
               [this](const Tensor& done) {
                 done_ = done.item<int64_t>();
                 restored_ = done_ > 0;
               }}};
}

}  // namespace lockstep
