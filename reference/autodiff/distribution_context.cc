#include "reference/autodiff/distribution_context.h"

#include <span>

#include "reference/autodiff/gradient_tape.h"
#include "reference/base/error.h"

namespace lockstep {
namespace {

thread_local DistributionContext* current_context = nullptr;

DistributionContext& WithoutStrategies() {
  static DistributionContext* context = new DistributionContext;
  return *context;
}

constinit DistributionContext::Default default_context = &WithoutStrategies;

}  // namespace

std::vector<Tensor> DistributionContext::ReduceValues(
    ReduceOp op, const std::vector<Tensor>& values) {
  return PrepareForReduce(op, values);
}

std::vector<std::vector<Tensor>> DistributionContext::ExchangeValues(
    const std::vector<Tensor>& values) {
  return {values};
}

std::vector<std::vector<Tensor>> DistributionContext::GatherFromWorkers(
    std::string_view operation,
    const std::function<std::vector<Tensor>()>& local) {
  CheckOutsideRun(operation, "call it before Run, or in a merge call");
  return {local()};
}

std::vector<Tensor> DistributionContext::AllReduce(
    ReduceOp op, const std::vector<Tensor>& values) {
  std::vector<Tensor> results = ReduceValues(op, values);
  if (num_replicas_in_sync() == 1) return results;  // nothing to record
  for (size_t i = 0; i < values.size(); ++i) {
    if (!IsFloating(values[i].dtype()) || !IsRecorded(values[i])) continue;
    // y is the sum of x over the replicas, and each replica differentiates its
    // own y, so dx is the sum of all dy. The same holds for the mean.
    RecordOperation({values[i]}, results[i],
                    [op](const Tensor& gradient, std::span<const bool>) {
                      return Gradients{Current().AllReduce(op, {gradient})[0]};
                    });
  }
  return results;
}

IndexedSlices DistributionContext::SumRows(const IndexedSlices& slices) {
  // Merged before sending: there are never more rows than in the table.
  const IndexedSlices own = slices.Merged();
  std::vector<IndexedSlices> parts;
  for (const std::vector<Tensor>& part :
       ExchangeValues({own.values(), own.indices()})) {
    parts.emplace_back(part.at(0), part.at(1), own.dense_shape());
  }
  return parts.size() == 1 ? own : Joined(parts).Merged();
}

void DistributionContext::MergeCall(const std::function<void()>& function) {
  function();
}

void DistributionContext::CheckOutsideRun(std::string_view operation,
                                          std::string_view remedy) const {
  if (!in_run()) return;
  throw FailedPrecondition(
      "[{}] it requires being in cross-replica context; {}", operation, remedy);
}

DistributionContext& DistributionContext::Current() {
  return current_context ? *current_context : default_context();
}

void DistributionContext::SetDefault(Default context) {
  default_context = context;
}

DistributionContextScope::DistributionContextScope(DistributionContext& context)
    : previous_(current_context) {
  current_context = &context;
}

DistributionContextScope::~DistributionContextScope() {
  current_context = previous_;
}

}  // namespace lockstep
