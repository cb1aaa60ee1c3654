// Test help: a small network of the custom-training document's kind, trained on
// a fixed global batch by any number of replicas.
//
//   SmallTraining training(2);
//   training.Step();   // the loss; layers are built by the first step
#ifndef LOCKSTEP_REFERENCE_TRAINING_SMALL_TRAINING_H_
#define LOCKSTEP_REFERENCE_TRAINING_SMALL_TRAINING_H_

#include <cstdint>
#include <memory>

#include "reference/distribute/mirrored_strategy.h"
#include "reference/layers/sequential.h"
#include "reference/losses/sparse_categorical_crossentropy.h"
#include "reference/metrics/mean.h"
#include "reference/metrics/sparse_categorical_accuracy.h"
#include "reference/optimizers/adam.h"

namespace lockstep {

class SmallTraining {
 public:
  static constexpr int64_t kGlobalBatchSize = 6;

  // The seed decides the first weights, the same on any number of replicas.
  explicit SmallTraining(int replicas, uint64_t seed = 7);

  // One step of all replicas; gives the loss summed over them.
  float Step();

  Strategy& strategy() { return *strategy_; }
  Sequential& model() { return *model_; }
  Adam& optimizer() { return *optimizer_; }
  Mean& mean() { return *mean_; }
  SparseCategoricalAccuracy& accuracy() { return *accuracy_; }

 private:
  void MakeData(int replicas);
  Tensor ReplicaStep(const Tensor& x, const Tensor& y);

  std::unique_ptr<MirroredStrategy> strategy_;
  std::unique_ptr<Sequential> model_;
  std::unique_ptr<Adam> optimizer_;
  std::unique_ptr<Mean> mean_;
  std::unique_ptr<SparseCategoricalAccuracy> accuracy_;
  losses::SparseCategoricalCrossentropy loss_{
      {.from_logits = true, .reduction = losses::Reduction::kNone}};
  PerReplica<Tensor> images_, labels_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_SMALL_TRAINING_H_
