// Training with exact losses and weights on any number of replicas, so that
// runs can be compared bit by bit however often they were interrupted.
#ifndef LOCKSTEP_BENCHMARKS_FAULTS_SPARSE_TRAINING_H_
#define LOCKSTEP_BENCHMARKS_FAULTS_SPARSE_TRAINING_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "reference/checkpoint/checkpoint.h"
#include "reference/distribute/strategy.h"
#include "reference/optimizers/update_rules.h"
#include "reference/training/model/model.h"

namespace lockstep::benchmarks {

// A weight for each of 8192 features, all 1 at first, and 124 examples, in
// batches of 8 with a last one of 4: 16 steps an epoch. Example i has two
// features that are not 0 and that no other example has:
//
//   feature 7 i      1 + i mod 3
//   feature 7 i + 3  -(1 + i mod 2)
//
// The loss of a step is the sum of the examples' weighted features over 8. SGD
// at a rate of 1/4 with a momentum of 1 makes every later weight depend on
// every step, and all of them small multiples of 1/32, losses of 1/256: nothing
// is ever rounded, in whatever order they are added. The gradients, 32 KiB, are
// more than workers send each other in one message.
class SparseTraining {
 public:
  // `report` with the number of steps taken, from 1 on, and the last one's
  // loss.
  using Report = std::function<void(int64_t step, float loss)>;

  // Makes its variables. Errors: those of the strategy's scope.
  explicit SparseTraining(Strategy& strategy);

  // The content of a checkpoint.
  std::map<std::string, Trackable*> objects();
  // Steps taken, those before a restored checkpoint included.
  int64_t step() const { return optimizer_->iterations(); }

  // From step() on to the end of so many epochs. Errors: those of Run, Reduce
  // and the input; what `report` throws.
  void Train(int64_t epochs, const Report& report);

  // The weights that are not 1, by the number of their feature.
  std::vector<std::pair<int64_t, float>> changed_weights() const;

 private:
  Tensor Step(const Structure& part);

  Strategy& strategy_;
  Sequential model_;
  std::unique_ptr<Sgd> optimizer_;
};

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_FAULTS_SPARSE_TRAINING_H_
