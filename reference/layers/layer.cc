#include "reference/layers/layer.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>

#include "reference/autodiff/distribution_context.h"
#include "reference/autodiff/ops/array_ops.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/base/error.h"
#include "reference/base/trace.h"
#include "reference/layers/initializers.h"

namespace lockstep {
namespace {

struct Counts {
  std::mutex mutex;
  std::map<std::string, int> next;
};

Counts& State() {
  static Counts* counts = new Counts;  // outlives static destructors
  return *counts;
}

}  // namespace

std::string UniqueName(const std::string& base) {
  Counts& counts = State();
  std::lock_guard lock(counts.mutex);
  const int index = counts.next[base]++;
  return index == 0 ? base : base + "_" + std::to_string(index);
}

void ClearSession() {
  Counts& counts = State();
  std::lock_guard lock(counts.mutex);
  counts.next.clear();
}

namespace {

struct Global {
  std::mutex mutex;
  DTypePolicy policy{"float32"};
};

Global& GetGlobal() {
  static auto* global = new Global;  // outlives static destructors
  return *global;
}

DType ComputeDType(std::string_view name) {
  if (name == "float32") return DType::kFloat32;
  if (name == "mixed_bfloat16") return DType::kBFloat16;
  if (name == "mixed_float16") return DType::kFloat16;
  for (const std::string_view other : {"float64", "bfloat16", "float16"}) {
    if (name != other) continue;
    throw Unimplemented(
        "[DTypePolicy] weights are float32: 'float32', 'mixed_bfloat16' and "
        "'mixed_float16' are offered, got '{}'",
        name);
  }
  throw InvalidArgument(
      "[DTypePolicy] wanted 'float32', 'mixed_bfloat16' or 'mixed_float16', "
      "got '{}'",
      name);
}

}  // namespace

DTypePolicy::DTypePolicy(std::string_view name)
    : name_(name), compute_dtype_(ComputeDType(name)) {}

DTypePolicy GetDTypePolicy() {
  Global& global = GetGlobal();
  const std::lock_guard lock(global.mutex);
  return global.policy;
}

void SetDTypePolicy(const DTypePolicy& policy) {
  Global& global = GetGlobal();
  const std::lock_guard lock(global.mutex);
  global.policy = policy;
}

namespace {

std::vector<VariablePtr> Filter(const std::vector<VariablePtr>& variables,
                                bool trainable) {
  std::vector<VariablePtr> kept;
  std::ranges::copy_if(variables, std::back_inserter(kept),
                       [trainable](const VariablePtr& variable) {
                         return variable->trainable() == trainable;
                       });
  return kept;
}

}  // namespace

Tensor Layer::operator()(const Tensor& x, bool training,
                         const Epilogue& epilogue) {
  const TraceSpan span(name_, "layer");
  if (!x.defined() || x.rank() == 0) {
    throw InvalidArgument("[{}] the input needs a batch axis, got {}", name_,
                          Describe(x));
  }
  if (!built_) Build(x.shape().WithDim(0, kUnknownDim));
  const Tensor cast = CastInput(x);
  return epilogue.empty() ? Call(cast, training)
                          : CallFused(cast, training, epilogue);
}

Tensor Layer::CallFused(const Tensor& x, bool training,
                        const Epilogue& epilogue) {
  return Finish(Call(x, training), epilogue);
}

Tensor Layer::Finish(const Tensor& y, const Epilogue& epilogue) {
  if (epilogue.addend.defined() && epilogue.addend.shape() != y.shape()) {
    throw InvalidArgument("[Layer] cannot add {} to the output {}",
                          Describe(epilogue.addend), Describe(y));
  }
  const Tensor sum = epilogue.addend.defined()
                         ? ops::Add(y, ops::Cast(epilogue.addend, y.dtype()))
                         : y;
  return epilogue.relu ? ops::Relu(sum) : sum;
}

Tensor Layer::CastInput(const Tensor& x) const {
  if (!IsFloating(x.dtype())) return x;
  return ops::Cast(x, dtype_policy_.compute_dtype());
}

Tensor Layer::Read(const VariablePtr& weight) const {
  if (weight == nullptr) return Tensor();
  return ops::Cast(weight->Read(), dtype_policy_.compute_dtype());
}

void Layer::Build(const Shape& input_shape) {
  if (built_) return;
  DistributionContext::Current().MergeCall([&] {
    if (built_) return;
    MakeWeights(input_shape);
    built_ = true;
  });
}

std::vector<VariablePtr> Layer::variables() const { return weights_; }

std::vector<VariablePtr> Layer::trainable_variables() const {
  return Filter(variables(), true);
}

std::vector<VariablePtr> Layer::non_trainable_variables() const {
  return Filter(variables(), false);
}

std::vector<Tensor> Layer::losses() const {
  std::vector<Tensor> losses;
  for (const Penalty& penalty : penalties_) {
    losses.push_back((*penalty.regularizer)(penalty.weight->Read()));
  }
  return losses;
}

VariablePtr Layer::AddWeight(const Weight& weight) {
  // A strategy may ask for the value once a replica: each time the same.
  const Random stream = NextRandomStream();
  VariablePtr variable =
      MakeVariable({.initial_value =
                        [weight, stream] {
                          Random random = stream;
                          return weight.initializer(weight.shape, random);
                        },
                    .name = name_ + "/" + weight.name,
                    .trainable = weight.trainable,
                    .synchronization = weight.synchronization,
                    .aggregation = weight.aggregation});
  weights_.push_back(variable);
  if (weight.regularizer) penalties_.push_back({variable, weight.regularizer});
  TrackChild(weight.checkpoint_name, *variable);
  return variable;
}

}  // namespace lockstep
