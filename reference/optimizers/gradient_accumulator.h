// Combines the gradients of several steps into one, for a batch that is too
// large for memory.
//
//   GradientAccumulator accumulator(4);
//   accumulator.Build(weights);                 // in the scope
//   // Each step, in cross-replica context and then on each replica:
//   accumulator.Next();
//   auto mean = accumulator.Add(gradients, rows);   // empty before the end
//   if (accumulator.at_end()) optimizer.ApplyGradients(Zip(mean, weights));
//
// The gradient of a step is that of the mean over its examples, weighted by
// their number, so a window of unequal batches equals one large batch. A
// replica adds its own gradients; replicas communicate only in the last step.
// Checkpoints save the sum over the replicas, so a window can continue on
// another number of replicas.
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

  // Makes the variables for the sums. No effect if they exist. REQUIRES: in the
  // scope of the strategy.
  void Build(const std::vector<VariablePtr>& variables);

  // Counts a step. REQUIRES: cross-replica context.
  void Next();
  // Whether the last counted step is the last one of its window.
  bool at_end() const { return done_ == 0; }

  // Adds this replica's part of a gradient with `weight`, a float32 scalar that
  // is the same on all replicas. At the end returns the means over the window,
  // nullopt for variables without a gradient in it, and begins the next window.
  // REQUIRES: replica context, after Build for these variables.
  Gradients Add(const Gradients& gradients, const Tensor& weight);

  // Number of steps added in this window.
  int64_t done() const { return done_; }
  // The means over these, of all replicas; nullopt for variables without a
  // gradient. REQUIRES: cross-replica context.
  Gradients SoFar() const;

  std::vector<Value> values() override;

 private:
  void FindReached();

  const int steps_;
  int64_t done_ = 0;       // of this window
  bool restored_ = false;  // within a window
  std::vector<VariablePtr> sums_;
  VariablePtr weight_;  // total weight of this window's steps
  std::vector<std::atomic<bool>> reached_;  // has a gradient
  TrackableList list_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_OPTIMIZERS_GRADIENT_ACCUMULATOR_H_
