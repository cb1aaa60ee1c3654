#include "reference/optimizers/gradient_accumulator.h"

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
}

bool GradientAccumulator::NextIsLast() {
  done_ = (done_ + 1) % steps_;
  return done_ == 0;
}

Gradients GradientAccumulator::Add(const Gradients& gradients, bool last) {
  Gradients means(gradients.size());
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (gradients[i]) sums_[i]->AssignAdd(*gradients[i]);
    if (!last || !gradients[i]) continue;
    means[i] = ops::Scale(sums_[i]->Read(), 1.0 / steps_);
    sums_[i]->Assign(Tensor::Zeros(means[i]->shape(), means[i]->dtype()));
  }
  return means;
}

std::vector<Trackable::Value> GradientAccumulator::values() {
  return {{.attribute = "STEP",
           .full_name = "accumulated_steps",
           .spec = {.shape = Shape{}, .dtype = DType::kInt64},
           .save = [this] { return Tensor::Scalar(done_); },
           .restore =
               [this](const Tensor& done) { done_ = done.item<int64_t>(); }}};
}

}  // namespace lockstep
