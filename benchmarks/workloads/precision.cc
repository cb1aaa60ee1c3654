#include "benchmarks/workloads/precision.h"

#include <memory>
#include <utility>

#include "reference/layers/dtype_policy.h"
#include "reference/optimizers/loss_scale_optimizer.h"

namespace lockstep::benchmarks {
namespace {

// Layers made while it lives follow the policy.
class PolicyScope {
 public:
  explicit PolicyScope(const DTypePolicy& policy) : before_(GetDTypePolicy()) {
    SetDTypePolicy(policy);
  }
  ~PolicyScope() { SetDTypePolicy(before_); }
  PolicyScope(const PolicyScope&) = delete;
  PolicyScope& operator=(const PolicyScope&) = delete;

 private:
  const DTypePolicy before_;
};

}  // namespace

Workload WithPrecision(Workload workload, const std::string& policy) {
  const DTypePolicy chosen(policy);
  workload.precision = policy;
  workload.make_model = [chosen, make = std::move(workload.make_model)] {
    const PolicyScope scope(chosen);
    return make();
  };
  if (chosen.compute_dtype() == DType::kFloat16) {
    workload.make_optimizer =
        [make = std::move(workload.make_optimizer)](
            int64_t global_batch_size) -> std::unique_ptr<Optimizer> {
      return std::make_unique<LossScaleOptimizer>(make(global_batch_size));
    };
  }
  return workload;
}

}  // namespace lockstep::benchmarks
