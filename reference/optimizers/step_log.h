// A record of an optimizer's steps: how many were skipped, and the gradients of
// the last one.
//
//   StepLog log({.gradients = true});
//   optimizer.WatchSteps([&](const OptimizerStep& step) { log.Add(step); });
#ifndef LOCKSTEP_REFERENCE_OPTIMIZERS_STEP_LOG_H_
#define LOCKSTEP_REFERENCE_OPTIMIZERS_STEP_LOG_H_

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/autodiff/trackable.h"
#include "reference/autodiff/variable.h"
#include "reference/optimizers/optimizer_step.h"

namespace lockstep {

struct StepLogOptions {
  bool skipped = false;    // counts them
  bool gradients = false;  // keeps them
};

// REQUIRES: made in the strategy's scope. Checkpoints keep the count.
class StepLog : public Trackable {
 public:
  explicit StepLog(const StepLogOptions& options);

  // Adds a step, on each replica (Optimizer::WatchSteps).
  void Add(const OptimizerStep& step);

  // Number of skipped steps; 0 if they are not counted.
  int64_t skipped() const;
  // The gradients of the last step, one per variable; nullopt for those
  // without.
  Gradients GradientsOf(const std::vector<VariablePtr>& variables) const;

 private:
  const StepLogOptions options_;
  VariablePtr skipped_;  // nullptr if they are not counted
  // All replicas have the same gradients: any of them may write last.
  std::map<const Variable*, Tensor> gradients_;
  mutable std::mutex mutex_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_OPTIMIZERS_STEP_LOG_H_
