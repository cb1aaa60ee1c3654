#include "reference/optimizers/optimizer_step.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "reference/autodiff/distribution_context.h"
#include "reference/base/error.h"

namespace lockstep {

namespace {

template <typename GradientList>
std::vector<GradientAndVariable> ZipAny(
    GradientList gradients, const std::vector<VariablePtr>& variables) {
  if (gradients.size() != variables.size()) {
    throw InvalidArgument("[Zip] {} gradients for {} variables",
                          gradients.size(), variables.size());
  }
  std::vector<GradientAndVariable> pairs;
  pairs.reserve(variables.size());
  for (size_t i = 0; i < variables.size(); ++i) {
    pairs.emplace_back(std::move(gradients[i]), variables[i]);
  }
  return pairs;
}

}  // namespace

std::vector<GradientAndVariable> Zip(
    std::vector<std::optional<Tensor>> gradients,
    const std::vector<VariablePtr>& variables) {
  return ZipAny(std::move(gradients), variables);
}

std::vector<GradientAndVariable> ZipRows(
    VariableGradients gradients, const std::vector<VariablePtr>& variables) {
  return ZipAny(std::move(gradients), variables);
}

}  // namespace lockstep

namespace lockstep::optimizers_internal {
namespace {

// Errors: InvalidArgument unless the gradient has the variable's type and
// shape.
void CheckFits(const Shape& shape, DType dtype, const Variable& variable) {
  if (shape == variable.shape() && dtype == variable.dtype()) return;
  throw InvalidArgument(
      "[ApplyGradients] variable '{}' is {}, its gradient is {}",
      variable.name(), ToString(TensorSpec{variable.shape(), variable.dtype()}),
      ToString(TensorSpec{shape, dtype}));
}

void AddGradient(const VariableGradient& gradient, const Variable& variable,
                 OptimizerStep& step) {
  if (const auto* dense = std::get_if<Tensor>(&gradient)) {
    CheckFits(dense->shape(), dense->dtype(), variable);
    step.gradients.push_back(*dense);
    step.rows.emplace_back();
    return;
  }
  const auto& slices = std::get<IndexedSlices>(gradient);
  CheckFits(slices.dense_shape(), slices.values().dtype(), variable);
  step.gradients.push_back(slices.values());
  step.rows.push_back(slices.indices());
}

bool IsOfRows(const OptimizerStep& step, size_t i) {
  return step.rows[i].defined();
}

bool IsMissing(const OptimizerStep& step, size_t i) {
  return !step.gradients[i].defined();
}

// A replica's value in the all-reduce for a variable. For a gradient of rows or
// a missing one it is empty, with a shape that no gradient of another kind has.
Tensor Summand(const OptimizerStep& step, size_t i) {
  if (IsOfRows(step, i)) return Tensor::Zeros(Shape{0, 0});
  if (IsMissing(step, i)) return Tensor::Zeros(Shape{0});
  return step.gradients[i];
}

// Errors: InvalidArgument, on all replicas, if the kinds or shapes of their
// gradients differ.
void SumTensors(OptimizerStep& step) {
  std::vector<Tensor> summands;
  for (size_t i = 0; i < step.variables.size(); ++i) {
    summands.push_back(Summand(step, i));
  }
  std::vector<Tensor> sums =
      DistributionContext::Current().AllReduce(ReduceOp::kSum, summands);
  for (size_t i = 0; i < sums.size(); ++i) {
    if (IsOfRows(step, i) || IsMissing(step, i)) continue;
    step.gradients[i] = std::move(sums[i]);
  }
}

// The kind of a variable's gradient on a replica. Any gradient can be converted
// to a greater kind.
enum Kind : int64_t { kMissing, kOfRows, kTensor };

std::vector<int64_t> KindsOf(const OptimizerStep& step) {
  std::vector<int64_t> kinds;
  for (size_t i = 0; i < step.variables.size(); ++i) {
    const Kind present = IsOfRows(step, i) ? kOfRows : kTensor;
    kinds.push_back(IsMissing(step, i) ? kMissing : present);
  }
  return kinds;
}

// Converts a gradient to this kind, with the same sum.
void BringTo(int64_t kind, OptimizerStep& step, size_t i) {
  const Variable& variable = *step.variables[i];
  if (IsOfRows(step, i)) {
    step.gradients[i] =
        IndexedSlices(step.gradients[i], step.rows[i], variable.shape())
            .ToDense();
    step.rows[i] = Tensor();
  } else if (kind == kOfRows) {
    step.gradients[i] =
        Tensor::Zeros(variable.shape().WithDim(0, 0), variable.dtype());
    step.rows[i] = Tensor::FromVector(std::vector<int64_t>());
  } else {
    step.gradients[i] = Tensor::Zeros(variable.shape(), variable.dtype());
  }
}

// Converts each gradient to the greatest kind that any replica has. Returns
// whether the kinds differed, the same on all replicas.
bool AgreeOnKinds(OptimizerStep& step) {
  const std::vector<int64_t> mine = KindsOf(step);
  std::vector<int64_t> greatest = mine;
  bool differ = false;
  for (const std::vector<Tensor>& part :
       DistributionContext::Current().ExchangeValues(
           {Tensor::FromVector(mine)})) {
    const auto kinds = part.at(0).ToVector<int64_t>();
    if (kinds.size() != mine.size()) return false;
    differ = differ || kinds != mine;
    for (size_t i = 0; i < kinds.size(); ++i) {
      greatest[i] = std::max(greatest[i], kinds[i]);
    }
  }
  for (size_t i = 0; i < mine.size(); ++i) {
    if (mine[i] != greatest[i]) BringTo(greatest[i], step, i);
  }
  return differ;
}

// Replaces each gradient of rows by the result of `function`.
template <typename Function>
void ForEachOfRows(OptimizerStep& step, const Function& function) {
  for (size_t i = 0; i < step.gradients.size(); ++i) {
    if (!step.rows[i].defined()) continue;
    const IndexedSlices slices = function(IndexedSlices(
        step.gradients[i], step.rows[i], step.variables[i]->shape()));
    step.gradients[i] = slices.values();
    step.rows[i] = slices.indices();
  }
}

}  // namespace

void CheckHasCopies(const Variable& variable) {
  const DistributionContext& context = DistributionContext::Current();
  if (context.num_replicas_in_sync() == 1) return;
  if (dynamic_cast<const LocalVariable*>(&variable) == nullptr) return;
  throw FailedPrecondition(
      "[ApplyGradients] '{}' was made outside the strategy's scope: {} "
      "replicas would share one copy",
      variable.name(), context.num_replicas_in_sync());
}

OptimizerStep StepOf(const std::vector<GradientAndVariable>& pairs) {
  OptimizerStep step;
  for (const auto& [gradient, variable] : pairs) {
    step.variables.push_back(variable);
    if (!gradient) {
      step.gradients.emplace_back();
      step.rows.emplace_back();
      continue;
    }
    CheckHasCopies(*variable);
    AddGradient(*gradient, *variable, step);
  }
  return step;
}

void LeaveOutMissing(OptimizerStep& step) {
  OptimizerStep present;
  for (size_t i = 0; i < step.variables.size(); ++i) {
    if (IsMissing(step, i)) continue;
    present.variables.push_back(step.variables[i]);
    present.gradients.push_back(std::move(step.gradients[i]));
    present.rows.push_back(std::move(step.rows[i]));
  }
  if (present.gradients.empty()) {
    throw InvalidArgument(
        "[ApplyGradients] No gradients provided for any variable, got {} pairs "
        "({})",
        step.variables.size(),
        step.variables.empty()
            ? "a layer makes its variables at its first call; ask for them "
              "after it"
            : "none was recorded: make the GradientTape before the forward "
              "pass");
  }
  step = std::move(present);
}

std::vector<VariablePtr> VariablesOf(
    const std::vector<GradientAndVariable>& pairs) {
  std::vector<VariablePtr> variables;
  variables.reserve(pairs.size());
  for (const auto& [gradient, variable] : pairs) variables.push_back(variable);
  return variables;
}

void MergeRows(OptimizerStep& step) {
  ForEachOfRows(step,
                [](const IndexedSlices& slices) { return slices.Merged(); });
}

// Usually the replicas have gradients of the same kinds, and one all-reduce is
// all that a step needs. An all-reduce of different kinds is refused on all
// replicas before anything is summed; only then do the replicas agree on kinds
// and sum again. Agreeing first would cost every step a second collective,
// which no graph could capture.
void SumOverReplicas(OptimizerStep& step) {
  try {
    SumTensors(step);
  } catch (const Error& error) {
    if (error.code() != Code::kInvalidArgument || !AgreeOnKinds(step)) throw;
    SumTensors(step);
  }
  ForEachOfRows(step, [](const IndexedSlices& slices) {
    return DistributionContext::Current().SumRows(slices);
  });
}

}  // namespace lockstep::optimizers_internal
