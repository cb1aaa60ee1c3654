// The training loop of TensorFlow's document "Custom training with
// tf.distribute.Strategy", for whatever strategy it is given.
#ifndef LOCKSTEP_EXAMPLES_CUSTOM_TRAINING_LOOP_H_
#define LOCKSTEP_EXAMPLES_CUSTOM_TRAINING_LOOP_H_

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "datasets/image_data.h"
#include "reference/lockstep.h"

namespace lockstep::examples {

struct CustomTrainingOptions {
  int epochs = 10;
  int replicas = 2;  // logical CPU devices of this process
  std::string data = "auto";
  std::string checkpoint_dir;
  // For checkpoints where no checkpoint_dir is given, in the folder of results.
  std::string results = "training_checkpoints";
  uint64_t seed = 42;
  int64_t steps = -1;  // of an epoch, at most; below 0 all
};

void AddOptions(CLI::App& app, CustomTrainingOptions& options);

// Reads the command line, goes to the folder that the person is in, and fills in
// what depends on it. Returns the status to end with, if the program is to end.
std::optional<int> ReadOptions(CLI::App& app, int argc, char** argv,
                               CustomTrainingOptions& options);

// CPU:0 and so on; makes that many.
std::vector<std::string> CpuDevices(int count);

struct Replicated;

// A convolutional network on Fashion-MNIST, 64 images a replica, whose
// checkpoint is saved every second epoch.
class CustomTraining {
 public:
  // Errors: those of ChooseFashionMnist. REQUIRES: the strategy outlives it.
  CustomTraining(Strategy& strategy, const CustomTrainingOptions& options);
  ~CustomTraining();

  // All epochs, each with a line of its figures, then the accuracy of a model
  // of its own, outside the strategy, with the weights last saved. On one of
  // several workers only the chief prints.
  void Run();

 private:
  CustomTraining(Strategy& strategy, const ImageData& data,
                 const CustomTrainingOptions& options);
  void TrainEpoch(int epoch);
  void TestRestoredModel() const;
  std::string CheckpointPrefix() const;
  double DistributedTrainStep(const PerReplica<Structure>& batch);
  void DistributedTestStep(const PerReplica<Structure>& batch);
  // What is printed once.
  template <typename... Arguments>
  void Tell(fmt::format_string<Arguments...> line,
            Arguments&&... arguments) const;

  const CustomTrainingOptions options_;
  Strategy& strategy_;
  const int64_t global_batch_size_;
  const Dataset test_dataset_;
  const DistributedDataset train_dist_dataset_;
  const DistributedDataset test_dist_dataset_;
  std::unique_ptr<Replicated> state_;
};

}  // namespace lockstep::examples

#endif  // LOCKSTEP_EXAMPLES_CUSTOM_TRAINING_LOOP_H_
