// Gradients of several steps as one: a batch that is too large for memory, in
// parts.
//
//   GradientAccumulator accumulator(4);
//   accumulator.Build(weights);                 // in the scope
//   // Each step, in cross-replica context and then on each replica:
//   const bool last = accumulator.NextIsLast();
//   auto mean = accumulator.Add(gradients, weights, last);   // empty unless last
//   if (last) optimizer.ApplyGradients(Zip(mean, weights));
//
// A replica adds its own gradients, and replicas talk to each other in the last
// step alone. Checkpoints keep what was added, as the sum over the replicas, so
// a window goes on on another number of them.
#ifndef LOCKSTEP_REFERENCE_OPTIMIZERS_GRADIENT_ACCUMULATOR_H_
#define LOCKSTEP_REFERENCE_OPTIMIZERS_GRADIENT_ACCUMULATOR_H_

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

  // Counts a step; it is the last of its window. REQUIRES: cross-replica
  // context.
  bool NextIsLast();

  // Adds this replica's gradients. Of the last step: the means over the window,
  // nothing for variables that had none in it, and all begins anew. REQUIRES:
  // replica context, after Build for these variables.
  Gradients Add(const Gradients& gradients, bool last);

  std::vector<Value> values() override;

 private:
  const int steps_;
  int64_t done_ = 0;  // of this window
  std::vector<VariablePtr> sums_;
  TrackableList list_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_OPTIMIZERS_GRADIENT_ACCUMULATOR_H_
