#include "benchmarks/workloads/small/small_training.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "benchmarks/workloads/chosen_strategy.h"
#include "reference/base/error.h"
#include "reference/distribute/mirrored_strategy.h"
#include "reference/distribute/training_step/training_step.h"
#include "reference/layers/layer_impl.h"

namespace lockstep::benchmarks {
namespace {

void AssignByFormula(const std::vector<VariablePtr>& variables,
                     const std::vector<WeightSpec>& specs) {
  if (variables.size() != specs.size()) {
    throw InvalidArgument("[TrainSmall] the task has {} weights, wanted {}",
                          variables.size(), specs.size());
  }
  for (size_t i = 0; i < specs.size(); ++i) {
    const int64_t wanted = specs[i].shape.num_elements();
    if (variables[i]->shape().num_elements() != wanted) {
      throw InvalidArgument("[TrainSmall] weight {}, '{}', is {}, wanted {}", i,
                            variables[i]->name(),
                            ToString(variables[i]->shape()),
                            ToString(specs[i].shape));
    }
    const Tensor weight = FormulaWeight(static_cast<uint32_t>(i), specs[i]);
    variables[i]->Assign(weight.Reshape(variables[i]->shape()));
  }
}

int64_t SizeOf(const Structure& batch) { return batch.Flatten()[0].dim(0); }

Dataset ExamplesOf(const std::vector<Structure>& batches) {
  Dataset all = Dataset::FromTensorSlices(batches.at(0));
  for (size_t i = 1; i < batches.size(); ++i) {
    all = all.Concatenate(Dataset::FromTensorSlices(batches[i]));
  }
  return all;
}

int64_t TotalSize(const std::vector<Structure>& batches) {
  int64_t size = 0;
  for (const Structure& batch : batches) size += SizeOf(batch);
  return size;
}

WorkloadData DataOf(const SmallWorkload& small) {
  const std::vector<Structure>& test =
      small.test.empty() ? small.batches : small.test;
  return {.name = "formula",
          .source = "formula",
          .description = "examples by formula",
          .train = ExamplesOf(small.batches),
          .test = ExamplesOf(test),
          .train_size = TotalSize(small.batches),
          .test_size = TotalSize(test),
          .item = small.item};
}

// The replicas' parts of a global batch, as the strategy divides it.
PerReplica<Structure> PartsOf(const Structure& batch, Strategy& strategy) {
  PerReplica<Structure> parts;
  strategy.DistributeDataset(Dataset::FromTensors(batch))
      .MakeIterator()
      .Next(&parts);
  return parts;
}

}  // namespace

Workload AsWorkload(const SmallWorkload& small,
                    const WorkloadOptions& options) {
  return {.name = small.name,
          .description = small.description,
          .details = {},
          .data = DataOf(small),
          .steps_per_epoch = 200,
          .batch_per_replica = options.BatchOr(SizeOf(small.batches[0])),
          .warmup_steps = 20,
          .steps_per_block = 20,
          .optimizer = small.optimizer,
          .make_task =
              [small] {
                std::unique_ptr<Task> task = small.make_task();
                AssignByFormula(task->weights(), small.weights);
                return task;
              },
          .make_optimizer =
              [small](const TrainingPlan&) { return small.make_optimizer(); }};
}

SmallTraining TrainSmall(const SmallWorkload& workload, int replicas) {
  MirroredStrategy strategy(ReplicaDevices("cpu", replicas));
  const StrategyScope scope = strategy.Scope();
  ClearSession();
  const std::unique_ptr<Task> task = workload.make_task();
  AssignByFormula(task->weights(), workload.weights);
  TrainingStep step(workload.make_optimizer());
  SmallTraining training;
  for (const Structure& batch : workload.batches) {
    const int64_t size = SizeOf(batch);
    task->ResetFigures();
    strategy.Run(
        [&](const Structure& part) {
          step.OnReplica([&] { return task->Forward(part, size); });
        },
        PartsOf(batch, strategy));
    training.losses.push_back(task->Figures().loss);
  }
  for (const Structure& batch : workload.test) {
    strategy.Run([&](const Structure& part) { task->Test(part); },
                 PartsOf(batch, strategy));
  }
  training.test_quality = task->Figures().test_quality;
  for (const VariablePtr& variable : task->weights()) {
    training.weights.push_back(variable->Read());
  }
  return training;
}

double LargestDifference(const SmallTraining& a, const SmallTraining& b) {
  double largest = 0;
  for (size_t i = 0; i < a.weights.size(); ++i) {
    const std::vector<float> x = a.weights[i].ToVector<float>();
    const std::vector<float> y = b.weights[i].ToVector<float>();
    for (size_t e = 0; e < x.size(); ++e) {
      largest = std::max(largest, std::abs(static_cast<double>(x[e]) - y[e]));
    }
  }
  return largest;
}

}  // namespace lockstep::benchmarks
