// What a workload trains: a model with its loss, and how well it does.
//
//   std::unique_ptr<Task> task = workload.make_task();   // in the scope
//   step.OnReplica([&] { return task->Forward(part, 128); });
//   strategy.Run([&](const Structure& part) { task->Test(part); }, batch);
//   task->Figures().test_quality;   // 0.91
//   task->ResetFigures();           // before the next epoch
//
// Replicas call Forward and Test together; all else is called while no replica
// runs.
#ifndef LOCKSTEP_BENCHMARKS_WORKLOADS_TASK_H_
#define LOCKSTEP_BENCHMARKS_WORKLOADS_TASK_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "benchmarks/measurement/quality.h"
#include "reference/autodiff/variable.h"
#include "reference/distribute/training_step/training_step.h"
#include "reference/tensor/nest.h"

namespace lockstep::benchmarks {

// Of the steps and the test since figures were reset.
struct TaskFigures {
  double loss = 0;  // mean over the steps of the global batch's loss
  std::optional<double> quality = std::nullopt;  // in training, where measured
  double test_loss = 0;
  double test_quality = 0;
};

class Task {
 public:
  virtual ~Task() = default;

  // On a replica: the forward pass over its part of a global batch. Losses that
  // count by example are divided by `global_batch_size`, which is the batch's
  // size unless it is the short last one of an epoch.
  virtual ForwardPass Forward(const Structure& part,
                              int64_t global_batch_size) = 0;

  // On a replica: measures its part of a batch of test examples.
  virtual void Test(const Structure& part) = 0;

  // The variables that are trained.
  virtual const std::vector<VariablePtr>& weights() const = 0;

  // All variables, as a checkpoint needs them: by default, those that are
  // trained.
  virtual std::vector<VariablePtr> variables() const { return weights(); }

  // What its quality is: by default, the share of examples classified rightly.
  virtual Quality quality() const { return {}; }
  virtual TaskFigures Figures() const = 0;
  virtual void ResetFigures() = 0;
};

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_WORKLOADS_TASK_H_
