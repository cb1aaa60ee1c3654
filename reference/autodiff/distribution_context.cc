#include "reference/autodiff/distribution_context.h"

#include "reference/base/error.h"

namespace lockstep {
namespace {

thread_local DistributionContext* current_context = nullptr;

}  // namespace

std::vector<Tensor> DistributionContext::AllReduce(
    ReduceOp /*op*/, const std::vector<Tensor>& values) {
  return values;  // the sum and the mean over one replica
}

void DistributionContext::MergeCall(const std::function<void()>& function) {
  function();
}

void DistributionContext::CheckOutsideRun(std::string_view operation,
                                          std::string_view remedy) const {
  if (!has_strategy() || in_cross_replica_context()) return;
  throw FailedPrecondition(
      "[{}] it requires being in cross-replica context; {}", operation, remedy);
}

DistributionContext& DistributionContext::Current() {
  static DistributionContext* none = new DistributionContext;
  return current_context ? *current_context : *none;
}

DistributionContextScope::DistributionContextScope(DistributionContext& context)
    : previous_(current_context) {
  current_context = &context;
}

DistributionContextScope::~DistributionContextScope() {
  current_context = previous_;
}

}  // namespace lockstep
