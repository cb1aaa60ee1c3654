#include "benchmarks/workloads/workload.h"

#include <algorithm>
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

int64_t Workload::StepsPerEpoch(int64_t global_batch_size,
                                int64_t limit) const {
  if (steps_per_epoch > 0) return limit > 0 ? limit : steps_per_epoch;
  const int64_t once =
      (data.train_size + global_batch_size - 1) / global_batch_size;
  return limit > 0 ? std::min(once, limit) : once;
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
            const TrainingPlan& plan) -> std::unique_ptr<Optimizer> {
      return std::make_unique<LossScaleOptimizer>(make(plan));
    };
  }
  return workload;
}

}  // namespace lockstep::benchmarks
