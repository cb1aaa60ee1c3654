#include "reference/optimizers/optimizer.h"

#include <algorithm>

#include "reference/autodiff/distribution_context.h"
#include "reference/autodiff/variable.h"
#include "reference/base/error.h"
#include "reference/base/trace.h"
#include "reference/kernels/device_kernel.h"
#include "reference/kernels/elementwise/in_place.h"
#include "reference/kernels/optimizer/optimizer_update.h"
#include "reference/kernels/optimizer/training_step.h"

namespace lockstep {
namespace {

// "dense/kernel" as part of a name: "dense_kernel".
std::string Flat(std::string name) {
  std::ranges::replace(name, '/', '_');
  return name;
}

Tensor Filled(const Variable& like, double value) {
  return Tensor::Full(like.shape(), value, Device::Current())
      .Cast(like.dtype());
}

}  // namespace

Optimizer::~Optimizer() = default;

Optimizer::Optimizer(LearningRate learning_rate, OptimizerOptions options,
                     std::vector<SlotKind> slot_kinds)
    : options_(std::move(options)), slot_kinds_(std::move(slot_kinds)) {
  TrackChild("_variables", variables_list_);
  TrackChild("_trainable_variables", trainable_list_);
  TrackChild("_trainable_variables_indices", trainable_indices_);
  iterations_ =
      AddCounter("iteration", "_iterations", Tensor::Scalar<int64_t>(0));
  if (const double* rate = std::get_if<double>(&learning_rate)) {
    learning_rate_ = AddCounter("learning_rate", "_learning_rate",
                                Tensor::Scalar(static_cast<float>(*rate)));
  } else {
    schedule_ = std::get<1>(learning_rate);
  }
  for (const SlotKind& kind : slot_kinds_) {
    slot_lists_.push_back(std::make_unique<Trackable>());
    TrackChild(kind.list_name, *slot_lists_.back());
  }
}

void Optimizer::Track(Trackable& list, const VariablePtr& variable) {
  list.TrackChild(std::to_string(list.children().size()), *variable);
}

VariablePtr Optimizer::AddCounter(const std::string& name,
                                  const std::string& checkpoint_name,
                                  const Tensor& initial_value) {
  VariablePtr counter = MakeVariable(
      {.initial_value = [initial_value] { return initial_value.Clone(); },
       .name = options_.name + "/" + name,
       .trainable = false,
       .aggregation = VariableAggregation::kOnlyFirstReplica});
  TrackChild(checkpoint_name, *counter);
  Track(variables_list_, counter);
  return counter;
}

void Optimizer::Build(const std::vector<VariablePtr>& variables) {
  // built_ changes only while all replicas wait in the merge call.
  if (built_) return;
  DistributionContext::Current().MergeCall([&] {
    if (!built_) MakeSlots(variables);
  });
}

void Optimizer::MakeSlots(const std::vector<VariablePtr>& variables) {
  for (const VariablePtr& variable : variables) {
    Trained trained{variable, {}};
    for (size_t i = 0; i < slot_kinds_.size(); ++i) {
      const SlotKind& kind = slot_kinds_[i];
      VariablePtr slot = MakeVariable(
          {.initial_value =
               [&] { return Filled(*variable, kind.initial_value); },
           .name =
               options_.name + "/" + Flat(variable->name()) + "_" + kind.name,
           .trainable = false});
      Track(variables_list_, slot);
      Track(*slot_lists_[i], slot);
      trained.slots.push_back(std::move(slot));
    }
    Track(trainable_list_, variable);
    trained_.push_back(std::move(trained));
  }
  built_ = true;
}

Optimizer::Trained& Optimizer::Find(const VariablePtr& variable) {
  const auto found = std::ranges::find(trained_, variable, &Trained::variable);
  if (found == trained_.end()) {
    throw InvalidArgument(
        "[ApplyGradients] variable '{}' was not among the {} of the first step",
        variable->name(), trained_.size());
  }
  return *found;
}

// Replicas update copies of their own, without a lock.
void Optimizer::CheckHasCopies(const Variable& variable) {
  const DistributionContext& context = DistributionContext::Current();
  if (context.num_replicas_in_sync() == 1) return;
  if (dynamic_cast<const LocalVariable*>(&variable) == nullptr) return;
  throw FailedPrecondition(
      "[ApplyGradients] '{}' was made outside the strategy's scope: {} "
      "replicas would share one copy",
      variable.name(), context.num_replicas_in_sync());
}

void Optimizer::ApplyGradients(const std::vector<GradientAndVariable>& pairs,
                               bool skip_gradients_aggregation) {
  DistributionContext& context = DistributionContext::Current();
  if (context.in_cross_replica_context()) {
    throw FailedPrecondition(
        "[ApplyGradients] wants replica context: call it inside Run");
  }
  CheckHasCopies(*iterations_);
  std::vector<VariablePtr> all;
  std::vector<VariablePtr> variables;
  std::vector<Tensor> gradients;
  for (const auto& [gradient, variable] : pairs) {
    all.push_back(variable);
    if (!gradient) continue;
    CheckHasCopies(*variable);
    if (gradient->shape() != variable->shape() ||
        gradient->dtype() != variable->dtype()) {
      throw InvalidArgument(
          "[ApplyGradients] variable '{}' is {}, its gradient is {}",
          variable->name(),
          ToString(TensorSpec{variable->shape(), variable->dtype()}),
          Describe(*gradient));
    }
    variables.push_back(variable);
    gradients.push_back(*gradient);
  }
  if (gradients.empty()) {
    throw InvalidArgument(
        "[ApplyGradients] No gradients provided for any variable, got {} pairs",
        pairs.size());
  }
  Build(all);
  gradients = Prepared(std::move(gradients));
  if (!skip_gradients_aggregation) {
    gradients = context.AllReduce(ReduceOp::kSum, gradients);
  }
  ApplySummed(variables, gradients);
}

void Optimizer::Clip(std::vector<Tensor>& gradients) const {
  if (options_.clipnorm) kernels::ClipByNorm(gradients, *options_.clipnorm);
  if (options_.global_clipnorm) {
    kernels::ClipByGlobalNorm(gradients, *options_.global_clipnorm);
  }
  if (options_.clipvalue) {
    kernels::ClipByValue(gradients, *options_.clipvalue);
  }
}

std::vector<Variable*> Optimizer::WhatChanges(
    const std::vector<VariablePtr>& variables) {
  std::vector<Variable*> changed = {iterations_.get()};
  changed.reserve(1 + variables.size() * (1 + slot_kinds_.size()));
  for (const VariablePtr& variable : variables) {
    changed.push_back(variable.get());
    for (const VariablePtr& slot : Find(variable).slots) {
      changed.push_back(slot.get());
    }
  }
  return changed;
}

std::vector<Optimizer::Item> Optimizer::ItemsOf(
    std::span<Tensor* const> values, std::span<const Tensor> gradients) const {
  std::vector<Item> items;
  items.reserve(gradients.size());
  const size_t slots = slot_kinds_.size();
  for (const Tensor& gradient : gradients) {
    items.push_back({values[0], &gradient, values.subspan(1, slots)});
    values = values.subspan(1 + slots);
  }
  return items;
}

void Optimizer::ApplySummed(const std::vector<VariablePtr>& variables,
                            const std::vector<Tensor>& gradients,
                            const Tensor& taken) {
  const TraceSpan span(options_.name, "optimizer");
  std::vector<Tensor> clipped = gradients;
  Clip(clipped);
  UpdateTogether(
      "ApplyGradients", WhatChanges(variables), clipped,
      [&](std::span<Tensor* const> values, std::span<const Tensor> inputs) {
        Tensor& counter = *values[0];
        const std::vector<Item> items = ItemsOf(values.subspan(1), inputs);
        if (kernels::OnGpu("ApplyGradients", *items[0].variable, counter)) {
          StepOnGpu(items, counter, taken);
        } else {
          StepOnHost(items, counter);
        }
      });
}

void Optimizer::StepOnHost(const std::vector<Item>& items, Tensor& counter) {
  const double rate = learning_rate();
  if (options_.weight_decay != 0) {
    for (const Item& item : items) {
      kernels::DecayWeights(*item.variable, options_.weight_decay * rate);
    }
  }
  const int64_t step = iterations() + 1;
  Update(items, rate, step);
  *counter.mutable_data<int64_t>() = step;
}

// Nothing here reads a value: the numbers of the step stay on the GPU.
void Optimizer::StepOnGpu(const std::vector<Item>& items, Tensor& counter,
                          const Tensor& taken) {
  const kernels::GpuStep step{.learning_rate = RateOnGpu(counter),
                              .iterations = counter,
                              .taken = taken};
  if (options_.weight_decay != 0) {
    std::vector<Tensor*> variables;
    for (const Item& item : items) variables.push_back(item.variable);
    kernels::DecayWeights(variables, options_.weight_decay, step);
  }
  UpdateOnGpu(items, step);
  const Tensor one = taken.defined()
                         ? taken.Cast(DType::kInt64)
                         : Tensor::Scalar<int64_t>(1, counter.device());
  kernels::AddInPlace(counter, one);
}

Tensor Optimizer::RateOnGpu(const Tensor& iterations) const {
  return schedule_ ? schedule_->At(iterations)
                   : learning_rate_->Read().Cast(DType::kFloat64);
}

int64_t Optimizer::iterations() const {
  return iterations_->Read().item<int64_t>();
}

double Optimizer::learning_rate() const {
  return schedule_ ? schedule_->At(iterations())
                   : learning_rate_->Read().item<float>();
}

void Optimizer::SetLearningRate(double learning_rate) {
  if (schedule_) {
    throw FailedPrecondition(
        "[SetLearningRate] the rate follows a schedule, it cannot be set");
  }
  learning_rate_->Assign(Tensor::Scalar(static_cast<float>(learning_rate)));
}

VariablePtr Optimizer::Slot(const Variable& variable,
                            std::string_view kind) const {
  const auto slot_kind = std::ranges::find(slot_kinds_, kind, &SlotKind::name);
  if (slot_kind == slot_kinds_.end()) {
    throw NotFound("[Slot] {} keeps no '{}'", options_.name, kind);
  }
  const auto trained =
      std::ranges::find_if(trained_, [&](const Trained& candidate) {
        return candidate.variable.get() == &variable;
      });
  if (trained == trained_.end()) {
    throw NotFound("[Slot] {} has not trained '{}'", options_.name,
                   variable.name());
  }
  return trained->slots[slot_kind - slot_kinds_.begin()];
}

std::vector<VariablePtr> Optimizer::variables() const {
  std::vector<VariablePtr> all = {iterations_};
  if (learning_rate_) all.push_back(learning_rate_);
  for (const Trained& trained : trained_) {
    all.insert(all.end(), trained.slots.begin(), trained.slots.end());
  }
  return all;
}

}  // namespace lockstep
