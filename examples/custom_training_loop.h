// The training loop of TensorFlow's document "Custom training with
// tf.distribute.Strategy", for any strategy.
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

// A convolutional network on Fashion-MNIST, 64 images per replica, with a
// checkpoint every second epoch.
class CustomTraining {
 public:
  // Errors: those of ChooseFashionMnist. REQUIRES: the strategy outlives it.
  CustomTraining(Strategy& strategy, const TrainingOptions& options);
  ~CustomTraining();

  // Trains all epochs and prints a line of figures for each, then the accuracy
  // of a new model, outside the strategy, with the weights last saved. Of
  // several workers only the chief prints.
  void Run();

  // Continues training in the document's other two ways: a number of steps of
  // an iterator, and a function for a whole epoch. Prints a line per epoch.
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
  // Prints the lines that are printed once.
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
