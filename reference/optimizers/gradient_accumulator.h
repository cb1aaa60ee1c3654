// Gradients of several steps as one: a batch that is too large for memory, in
// parts.
//
//   GradientAccumulator accumulator(4);
//   accumulator.Build(weights);                 // in the scope
//   // Each step, in cross-replica context and then on each replica:
//   accumulator.Next();
//   auto mean = accumulator.Add(gradients, rows);   // empty but at the end
//   if (accumulator.at_end()) optimizer.ApplyGradients(Zip(mean, weights));
//
// A step's gradient is that of the mean over its examples, and weighs as many as
// these are: so a window of unequal batches is one large batch. A replica adds
// its own gradients, and replicas talk to each other in the last step alone.
// Checkpoints keep what was added, as the sum over the replicas, so
// a window goes on on another number of them.
#ifndef LOCKSTEP_REFERENCE_OPTIMIZERS_GRADIENT_ACCUMULATOR_H_
#define LOCKSTEP_REFERENCE_OPTIMIZERS_GRADIENT_ACCUMULATOR_H_

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/autodiff/trackable.h"
#include "reference/autodiff/variable.h"

namespace lockstep {

class GradientAccumulator : public Trackable {
 public:
  // Errors: InvalidArgument for steps below 1.
  explicit GradientAccumulator(int steps);

  int steps() const { return steps_; }

  // Room for the gradients of these; no effect when it is there. REQUIRES: in
  // the scope of their strategy.
  void Build(const std::vector<VariablePtr>& variables);

  // Counts a step. REQUIRES: cross-replica context.
  void Next();
  // The step that was counted last is the last of its window.
  bool at_end() const { return done_ == 0; }

  // Adds this replica's part of a gradient that weighs `weight`, a float32
  // scalar that is the same on all replicas. At the end: the means over
  // the window, nothing for variables that had none in it, and the next window
  // begins. REQUIRES: replica context, after Build for these variables.
  Gradients Add(const Gradients& gradients, const Tensor& weight);

  // Steps of this window that were added.
  int64_t done() const { return done_; }
  // The means over these, of all replicas; nothing for variables that had no
  // gradient. REQUIRES: cross-replica context.
  Gradients SoFar() const;

  std::vector<Value> values() override;

 private:
  void FindReached();

  const int steps_;
  int64_t done_ = 0;       // of this window
  bool restored_ = false;  // within a window
  std::vector<VariablePtr> sums_;
  VariablePtr weight_;  // what the steps of this window weigh together
  std::vector<std::atomic<bool>> reached_;  // has a gradient
  TrackableList list_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_OPTIMIZERS_GRADIENT_ACCUMULATOR_H_
