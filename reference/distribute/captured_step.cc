#include "reference/distribute/captured_step.h"

#include <utility>

#include "reference/base/error.h"

namespace lockstep::distribute_internal {
namespace {

PerReplica<Structure> EmptyLike(const PerReplica<Structure>& batch,
                                const std::vector<Device*>& devices) {
  std::vector<Structure> empty;
  for (int replica = 0; replica < batch.size(); ++replica) {
    empty.push_back(batch[replica].Map<Tensor>([&](const Tensor& leaf) {
      return Tensor::Empty(leaf.shape(), leaf.dtype(), *devices[replica]);
    }));
  }
  return PerReplica<Structure>(std::move(empty));
}

// The result where nobody but the graph writes: not a variable or an input.
Tensor OwnResult(const Tensor& result) {
  if (!result.defined()) return result;
  if (result.on_host()) {
    throw FailedPrecondition(
        "[StepGraph] the step returns {} on {} while it is captured as a "
        "graph, which the host has no part in; return tensors of the GPU",
        Describe(result), result.device().name());
  }
  return result.unique() ? result : result.Clone(result.device());
}

Tensor Fresh(const Tensor& result) {
  return result.defined() ? result.Clone(result.device()) : result;
}

}  // namespace

CapturedStep::CapturedStep(Strategy& strategy,
                           const std::vector<Device*>& devices,
                           const StepFunction& function,
                           const PerReplica<Structure>& batch)
    : group_(strategy.group()),
      devices_(devices),
      inputs_(EmptyLike(batch, devices)) {
  Capture(strategy, function);
}

void CapturedStep::Capture(Strategy& strategy, const StepFunction& function) {
  CaptureSession session(devices_);
  try {
    results_ = strategy.Run(
        [&](const Structure& input) {
          return RunOnce(function, input, *session.memory());
        },
        inputs_);
    work_ = session.Finish();
  } catch (...) {
    session.Abandon();
    variables_.BringBack();
    throw;
  }
}

Structure CapturedStep::RunOnce(const StepFunction& function,
                                const Structure& input, PrivateMemory& memory) {
  PrivateMemory::Scope memory_scope(memory);
  VariableUses::Scope uses(variables_);
  return function(input).Map<Tensor>(&OwnResult);
}

void CapturedStep::SetInputs(const PerReplica<Structure>& batch) const {
  for (int replica = 0; replica < batch.size(); ++replica) {
    const std::vector<Tensor> from = batch[replica].Flatten();
    std::vector<Tensor> to = inputs_[replica].Flatten();
    for (size_t i = 0; i < from.size(); ++i) to[i].CopyFrom(from[i]);
  }
}

PerReplica<Structure> CapturedStep::Launch(
    const PerReplica<Structure>& batch) const {
  SetInputs(batch);
  work_.graph->Launch();
  return results_.Map(
      [](const Structure& result) { return result.Map<Tensor>(&Fresh); });
}

}  // namespace lockstep::distribute_internal
