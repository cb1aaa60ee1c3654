// Trains a small form of a workload, whose weights and batches are given by
// formula, and keeps what other frameworks are compared by.
//
//   const SmallTraining one = TrainSmall(SmallDenseNet(), 1);
//   one.losses;      // of the global batch, before each step
//   one.weights;     // after the last step, in the model's order
//
// Of a global batch of n examples the first n mod R replicas get one more.
#ifndef LOCKSTEP_BENCHMARKS_WORKLOADS_SMALL_SMALL_TRAINING_H_
#define LOCKSTEP_BENCHMARKS_WORKLOADS_SMALL_SMALL_TRAINING_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/workloads/small/formula.h"
#include "benchmarks/workloads/task.h"
#include "benchmarks/workloads/workload.h"
#include "benchmarks/workloads/workload_options.h"
#include "reference/optimizers/optimizer.h"
#include "reference/tensor/nest.h"

namespace lockstep::benchmarks {

struct SmallWorkload {
  std::string name;         // "densenet_small"
  std::string description;  // for people
  std::string item = "image";
  std::string optimizer;
  // Of the task's weights, in their order; a weight's place is its variable's
  // number.
  std::vector<WeightSpec> weights;
  std::vector<Structure> batches;                    // global ones
  std::vector<Structure> test = {};                  // empty: the batches
  std::function<std::unique_ptr<Task>()> make_task;  // in the scope
  std::function<std::unique_ptr<Optimizer>()> make_optimizer;
};

// The same as a workload of the benchmark, which repeats the examples. Weights
// begin by formula.
Workload AsWorkload(const SmallWorkload& small, const WorkloadOptions& options);

struct SmallTraining {
  std::vector<double> losses;
  std::vector<Tensor> weights;
  double test_quality = 0;  // after the last step
};

// Errors: InvalidArgument where the task has other weights.
SmallTraining TrainSmall(const SmallWorkload& workload, int replicas);

// The largest difference of two trainings' weights.
double LargestDifference(const SmallTraining& a, const SmallTraining& b);

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_WORKLOADS_SMALL_SMALL_TRAINING_H_
