// For tests: the common value of a variable's copies, and a small network that any
// number of replicas train.
#ifndef LOCKSTEP_REFERENCE_TRAINING_SMALL_TRAINING_H_
#define LOCKSTEP_REFERENCE_TRAINING_SMALL_TRAINING_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "reference/distribute/distribute_testing.h"
#include "reference/losses/cross_entropy.h"
#include "reference/losses/loss.h"
#include "reference/metrics/accuracy.h"
#include "reference/metrics/metric.h"
#include "reference/optimizers/update_rules.h"
#include "reference/training/model/model.h"

namespace lockstep {

// Returns the value of `variable`; expects that all copies are bitwise equal.
inline Tensor CommonValue(Strategy& strategy, const VariablePtr& variable) {
  const PerReplica<Tensor> copies =
      strategy.Run([&] { return variable->Read(); });
  for (const Tensor& copy : copies) EXPECT_TRUE(BitwiseEqual(copy, copies[0]));
  return copies[0];
}

// A small network like the one in TensorFlow's custom-training guide, trained on a
// fixed global batch by any number of replicas.
//
//   SmallTraining training(2);
//   training.Step();   // the loss; layers are built by the first step
class SmallTraining {
 public:
  static constexpr int64_t kGlobalBatchSize = 6;

  // The seed determines the initial weights for any number of replicas.
  explicit SmallTraining(int replicas, uint64_t seed = 7);

  // Runs one step on all replicas. Returns the sum of their losses.
  float Step();

  Strategy& strategy() { return *strategy_; }
  Sequential& model() { return model_; }
  Adam& optimizer() { return *optimizer_; }
  Mean& mean() { return *mean_; }
  SparseCategoricalAccuracy& accuracy() { return *accuracy_; }

 private:
  void MakeData(int replicas);
  Tensor ReplicaStep(const Tensor& x, const Tensor& y);

  std::unique_ptr<MirroredStrategy> strategy_;
  Sequential model_;
  std::unique_ptr<Adam> optimizer_;
  std::unique_ptr<Mean> mean_;
  std::unique_ptr<SparseCategoricalAccuracy> accuracy_;
  losses::SparseCategoricalCrossentropy loss_{
      {.from_logits = true, .reduction = losses::Reduction::kNone}};
  PerReplica<Tensor> images_, labels_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_SMALL_TRAINING_H_
