// The training loop of TensorFlow's document "Custom training with
// tf.distribute.Strategy", for whatever strategy it is given.
#ifndef LOCKSTEP_EXAMPLES_CUSTOM_TRAINING_LOOP_H_
#define LOCKSTEP_EXAMPLES_CUSTOM_TRAINING_LOOP_H_

#include <fmt/core.h>

#include <cstdint>
#include <memory>
#include <string>

#include "examples/training_options.h"
#include "image_datasets/image_data.h"
#include "reference/lockstep.h"

namespace lockstep::examples {

struct Replicated;

// A convolutional network on Fashion-MNIST, 64 images a replica, whose
// checkpoint is saved every second epoch.
class CustomTraining {
 public:
  // Errors: those of ChooseFashionMnist. REQUIRES: the strategy outlives it.
  CustomTraining(Strategy& strategy, const TrainingOptions& options);
  ~CustomTraining();

  // All epochs, each with a line of its figures, then the accuracy of a model
  // of its own, outside the strategy, with the weights last saved. On one of
  // several workers only the chief prints.
  void Run();

  // The document's other ways to go through the data, which train on: so many
  // steps of an iterator, and a function of an epoch. A line of each epoch.
  void IterateOverSteps();
  void CallEpochFunction();

 private:
  CustomTraining(Strategy& strategy, const ImageData& data,
                 const TrainingOptions& options);
  void TrainEpoch(int epoch);
  void TestRestoredModel() const;
  std::string CheckpointPrefix() const;
  double DistributedTrainEpoch();
  void TellEpoch(int epoch, double loss);
  double DistributedTrainStep(const PerReplica<Structure>& batch);
  void DistributedTestStep(const PerReplica<Structure>& batch);
  // What is printed once.
  template <typename... Arguments>
  void Tell(fmt::format_string<Arguments...> line,
            Arguments&&... arguments) const;

  const TrainingOptions options_;
  Strategy& strategy_;
  const int64_t global_batch_size_;
  const Dataset test_dataset_;
  const DistributedDataset train_dist_dataset_;
  const DistributedDataset test_dist_dataset_;
  std::unique_ptr<Replicated> state_;
};

}  // namespace lockstep::examples

#endif  // LOCKSTEP_EXAMPLES_CUSTOM_TRAINING_LOOP_H_
