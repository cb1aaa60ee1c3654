// Trains the custom-training document's CNN under a MirroredStrategy, epoch by
// epoch, and keeps the times of every step.
//
//   Trainer trainer(data, {.replicas = 2, .threads_per_replica = 1});
//   EpochResult first = trainer.TrainEpoch(on_step);
//   trainer.Result().blocks;       // images/s of each block of steps
//
// One epoch is a pass over the shuffled training images in global batches of
// 64 images a replica (the last one may be short), then a pass over the test
// images.
#ifndef LOCKSTEP_BENCHMARKS_WORKLOADS_FASHION_MNIST_CNN_TRAINER_H_
#define LOCKSTEP_BENCHMARKS_WORKLOADS_FASHION_MNIST_CNN_TRAINER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "benchmarks/training_result.h"
#include "datasets/image_data.h"

namespace lockstep::benchmarks {

struct TrainerOptions {
  int replicas = 1;
  int threads_per_replica = 1;
  uint64_t seed = 42;
  int steps_per_epoch = 0;  // at most; 0: the whole data set
};

class Trainer {
 public:
  // Called after each training step with its number of images; false stops.
  using OnStep = std::function<bool(int64_t images)>;

  Trainer(const ImageData& data, const TrainerOptions& options);
  ~Trainer();

  // Trains one epoch and evaluates. Nothing when `on_step` stopped it.
  std::optional<EpochResult> TrainEpoch(const OnStep& on_step);

  // Training images of one epoch.
  int64_t images_per_epoch() const;

  // What has been measured so far, with the copies compared bit by bit.
  TrainingResult Result() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_WORKLOADS_FASHION_MNIST_CNN_TRAINER_H_
