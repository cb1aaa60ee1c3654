#include "benchmarks/workloads/workload.h"

#include <memory>
#include <utility>

#include "reference/layers/layer.h"
#include "reference/optimizers/loss_scale_optimizer.h"

namespace lockstep::benchmarks {

Dataset Workload::Batches(const Dataset& examples, int64_t batch_size) const {
  return batch ? batch(examples, batch_size) : examples.Batch(batch_size);
}

Dataset Workload::TestBatches(int64_t global_batch_size) const {
  return Batches(data.test, test_batch > 0 ? test_batch : global_batch_size);
}

Workload WithPrecision(Workload workload, const std::string& policy) {
  const DTypePolicy chosen(policy);
  workload.precision = policy;
  workload.make_task = [chosen, make = std::move(workload.make_task)] {
    const DTypePolicyScope scope(chosen);
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
