// How it works. Each signature of a batch has an Entry, which passes through
// these states, one per step:
//
//   batch      1st             2nd                     3rd and later
//   step       run eagerly     capture, then launch    launch
//   then has   variables       variables, captured     the same
//
// Eager: the step makes its variables, library plans and workspaces, and
// records in `variables` which variables it used and where they are. Capture:
// the function runs again on all replicas, on empty inputs, but its kernels are
// only recorded; its allocations are private memory of the graph. Launch:
//
//   batch --copy--> inputs_ --graph--> results_ --copy--> what Run returns
//
// The copies are needed because a graph reads and writes the same addresses
// each time. So variables must stay where they were captured. Before each
// launch, variables that the step changes get separate memory if they share it
// (Unshare). If any of them is then at another address (Moved), the graph is
// dropped: this step runs eagerly, the next one captures. A step that itself
// moves a variable would do so every time: it is marked moves_variables and
// stays eager.
//
// A capture that throws has run no kernel, but may have moved variables to
// memory that was never written. BringBack copies their values there, and the
// next step captures again.
#include "reference/distribute/step_graph/step_graph.h"

#include <algorithm>
#include <functional>
#include <list>
#include <utility>

#include "reference/base/error.h"
#include "reference/base/log.h"
#include "reference/data/element.h"

namespace lockstep::distribute_internal {
namespace {

// REQUIRES: same form.
bool SameSpecs(const SpecStructure& specs, const Structure& element) {
  if (specs.is_leaf()) return specs.leaf() == SpecOf(element.leaf());
  for (size_t i = 0; i < specs.size(); ++i) {
    if (!SameSpecs(specs.items()[i], element.items()[i])) return false;
  }
  return true;
}

}  // namespace

StepSignature::StepSignature(const PerReplica<Structure>& batch) {
  for (const Structure& element : batch) {
    specs_.push_back(element.Map<TensorSpec>(&SpecOf));
  }
}

bool StepSignature::Matches(const PerReplica<Structure>& batch) const {
  if (batch.size() != static_cast<int>(specs_.size())) return false;
  for (int replica = 0; replica < batch.size(); ++replica) {
    const Structure& element = batch[replica];
    const SpecStructure& specs = specs_[replica];
    if (!specs.SameFormAs(element) || !SameSpecs(specs, element)) return false;
  }
  return true;
}

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

// The result in memory that only the graph writes: not a variable or an input.
Tensor OwnResult(const Tensor& result) {
  if (!result.defined()) return result;
  if (result.on_host()) {
    throw FailedPrecondition(
        "[StepGraph] the step returns {} on {} while it is captured as a "
        "graph, which cannot include the host; return tensors of the GPU",
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
    : replicas_(strategy.replicas()),
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

namespace {

constexpr int64_t kMostSignatures = 128;

// Without a strategy the only replica is on the current device.
std::vector<Device*> DevicesOf(const Strategy& strategy) {
  if (strategy.is_default()) return {&Device::Current()};
  return strategy.devices();
}

bool IsNumbers(const Structure& element) {
  bool numbers = true;
  element.ForEach([&](const Tensor& leaf) {
    numbers &= leaf.defined() && leaf.dtype() != DType::kString;
  });
  return numbers;
}

// Moves the item with the batch's signature, which `signature_of` gives of each,
// to the front. False if there is none.
template <typename Item, typename SignatureOf>
bool MoveToFront(std::list<Item>& items, const PerReplica<Structure>& batch,
                 SignatureOf signature_of) {
  const auto found = std::ranges::find_if(
      items, [&](const StepSignature& one) { return one.Matches(batch); },
      signature_of);
  if (found == items.end()) return false;
  items.splice(items.begin(), items, found);
  return true;
}

}  // namespace

GraphedStep::GraphedStep(Strategy& strategy, StepFunction function,
                         const StepGraphOptions& options)
    : strategy_(strategy),
      function_(std::move(function)),
      options_(options),
      devices_(DevicesOf(strategy)) {
  if (options.max_graphs < 1) {
    throw InvalidArgument("[StepGraph] max_graphs must be at least 1, got {}",
                          options.max_graphs);
  }
  if (options_.signature) statistics_.signatures = 1;
}

void GraphedStep::CheckSignature(const PerReplica<Structure>& batch) const {
  const PerReplica<SpecStructure>& signature = *options_.signature;
  if (batch.size() != signature.size()) {
    throw InvalidArgument(
        "[StepGraph] got a batch of {} replicas, wanted {}: the step's "
        "signature is that of another strategy's data",
        batch.size(), signature.size());
  }
  for (int replica = 0; replica < batch.size(); ++replica) {
    data_internal::CheckElement("StepGraph", signature[replica],
                                batch[replica]);
  }
}

void GraphedStep::CountSignature(const PerReplica<Structure>& batch) {
  if (MoveToFront(signatures_, batch, std::identity())) return;
  signatures_.emplace_front(batch);
  if (std::ssize(signatures_) > kMostSignatures) signatures_.pop_back();
  ++statistics_.signatures;
}

// Strategy::Run checks everything else about the batch and the caller.
bool GraphedStep::CanCapture(const PerReplica<Structure>& batch) const {
  const bool in_run = HasStrategy() && !InCrossReplicaContext();
  return options_.capture && !in_run &&
         batch.size() == strategy_.num_replicas_in_sync() &&
         std::ranges::none_of(devices_, &Device::on_host) &&
         std::ranges::all_of(batch, &IsNumbers);
}

GraphedStep::Entry& GraphedStep::EntryFor(const PerReplica<Structure>& batch) {
  if (!MoveToFront(entries_, batch, &Entry::signature)) {
    if (static_cast<int>(entries_.size()) == options_.max_graphs) {
      entries_.pop_back();
    }
    entries_.emplace_front(batch);
  }
  return entries_.front();
}

PerReplica<Structure> GraphedStep::Run(const PerReplica<Structure>& batch) {
  if (options_.signature) CheckSignature(batch);
  PerReplica<Structure> results;
  if (CanCapture(batch)) {
    results = RunByGraph(batch);
  } else {
    // Counted afterwards: a call by several replicas at once only throws.
    results = strategy_.Run(function_, batch);
    ++statistics_.eager_steps;
  }
  if (!options_.signature) CountSignature(batch);
  return results;
}

PerReplica<Structure> GraphedStep::RunByGraph(
    const PerReplica<Structure>& batch) {
  Entry& entry = EntryFor(batch);
  if (entry.captured) {
    entry.captured->variables().Unshare();
    if (entry.captured->variables().Moved()) {
      entry.captured.reset();
      entry.variables.reset();
    }
  }
  if (!entry.variables || entry.moves_variables) {
    return RunEagerly(entry, batch);
  }
  try {
    return entry.captured ? Launch(entry, batch) : Capture(entry, batch);
  } catch (...) {
    if (entry.captured) entry.captured->variables().BringBack();
    entry.captured.reset();  // the next step captures again
    throw;
  }
}

// Copies the batch to the GPU, as a graph does.
PerReplica<Structure> GraphedStep::OnReplicas(
    const PerReplica<Structure>& batch) const {
  std::vector<Structure> placed;
  for (int replica = 0; replica < batch.size(); ++replica) {
    placed.push_back(batch[replica].Map<Tensor>(
        [&](const Tensor& leaf) { return leaf.To(*devices_[replica]); }));
  }
  return PerReplica<Structure>(std::move(placed));
}

PerReplica<Structure> GraphedStep::RunEagerly(
    Entry& entry, const PerReplica<Structure>& batch) {
  auto uses = std::make_unique<VariableUses>();
  PerReplica<Structure> results = strategy_.Run(
      [&](const Structure& input) {
        VariableUses::Scope scope(*uses);
        return function_(input);
      },
      OnReplicas(batch));
  ++statistics_.eager_steps;
  entry.variables = std::move(uses);
  return results;
}

std::unique_ptr<CapturedStep> GraphedStep::CaptureStep(
    const PerReplica<Structure>& batch) {
  const auto capture = [&] {
    return std::make_unique<CapturedStep>(strategy_, devices_, function_,
                                          batch);
  };
  try {
    return capture();
  } catch (const Error& error) {
    if (error.code() != Code::kResourceExhausted) throw;
  }
  // Memory cannot be returned to a GPU during a capture, but now it can.
  for (Device* device : devices_) device->pool().Trim();
  return capture();
}

PerReplica<Structure> GraphedStep::Capture(Entry& entry,
                                           const PerReplica<Structure>& batch) {
  // Moves variables that the capture would have to move.
  entry.variables->Unshare();
  entry.captured = CaptureStep(batch);
  ++statistics_.captures;
  const auto moved = entry.captured->variables().Moved();
  PerReplica<Structure> results = Launch(entry, batch);
  if (moved) {
    LogWarning(
        "[StepGraph] the step moves variable '{}' in memory, so it runs "
        "eagerly: it keeps a reference to the variable's value while it "
        "changes the variable",
        *moved);
    entry.moves_variables = true;
    entry.captured.reset();
  }
  return results;
}

PerReplica<Structure> GraphedStep::Launch(Entry& entry,
                                          const PerReplica<Structure>& batch) {
  const auto& groups = strategy_.replicas()->groups;
  for (const auto& group : groups) group->Check();
  PerReplica<Structure> results = entry.captured->Launch(batch);
  for (const auto& group : groups) group->Watch();
  ++statistics_.launches;
  return results;
}

}  // namespace lockstep::distribute_internal
