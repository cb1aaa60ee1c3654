// Training by fit that resumes where it ended: the program of Keras' guide
// "Multi-GPU distributed training with TensorFlow".
//
//   ./bazelw run //examples:restarted_training
//
// trains a small network on MNIST, with validation, then another one, saved
// after each epoch, in two runs of which the second begins with the newest
// file. A killed run is resumed in the same way.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "command_line/program.h"
#include "examples/mnist_data.h"
#include "examples/training_options.h"
#include "image_datasets/image_data.h"
#include "reference/lockstep.h"

namespace lockstep::examples {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kBatchSize = 32;

constexpr char kExamples[] =
    "Examples:\n"
    "  ./bazelw run //examples:restarted_training\n"
    "      two epochs, then twice one, on two replicas\n"
    "  ./bazelw run //examples:restarted_training -- --epochs=1 "
    "--data=embedded \\\n"
    "      --folder=my_training\n"
    "\n"
    "Exit status: 0; 1 when something failed, 2 for a wrong command line.\n";

struct Splits {
  Dataset train, validation, test;
};

// Rows of 784 numbers from 0 to 1, and labels as numbers.
Dataset Batches(const Tensor& images, const Tensor& labels) {
  const Tensor rows = ScaleImages(images).Reshape(Shape{images.dim(0), 784});
  return Dataset::FromTensorSlices(
             Structure::Tuple({rows, labels.Cast(DType::kFloat32)}))
      .Batch(kBatchSize);
}

// The last sixth of the training data is for validation.
Splits GetDatasets(const ImageData& data, const TrainingOptions& options) {
  const auto& [images, labels] = data.train;
  const int64_t all = labels.num_elements(), first = all - all / 6;
  return {
      .train = Batches(images.Slice(0, first), labels.Slice(0, first))
                   .Take(options.steps),
      .validation = Batches(images.Slice(first, all), labels.Slice(first, all)),
      .test = Batches(data.test.images, data.test.labels)};
}

Model GetCompiledModel() {
  const SymbolicTensor inputs = Input({784});
  SymbolicTensor x = Dense(256, {.activation = Activation::kRelu})(inputs);
  x = Dense(256, {.activation = Activation::kRelu})(x);
  const Model model(inputs, Dense(10)(x));
  model.Compile(
      {.optimizer = std::make_shared<Adam>(),
       .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
       .metrics = {"sparse_categorical_accuracy"}});
  return model;
}

// The newest file.
std::optional<fs::path> NewestIn(const std::string& folder) {
  std::optional<fs::path> newest;
  fs::create_directories(folder);
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".keras") continue;
    if (!newest || fs::last_write_time(*newest) < entry.last_write_time()) {
      newest = entry.path();
    }
  }
  return newest;
}

Model MakeOrRestoreModel(const std::string& folder) {
  if (const std::optional<fs::path> newest = NewestIn(folder)) {
    Print("Restoring from {}\n", newest->string());
    return LoadModel(*newest);
  }
  Print("Creating a new model\n");
  return GetCompiledModel();
}

void RunTraining(Strategy& strategy, const Splits& data,
                 const std::string& folder) {
  StrategyScope scope = strategy.Scope();
  const Model model = MakeOrRestoreModel(folder);
  model.Fit(data.train, {.epochs = 1,
                         .validation_data = data.validation,
                         .callbacks = {MakeCallback<ModelCheckpoint>(
                             folder + "/ckpt-{epoch}.keras")}});
}

void Train(Strategy& strategy, const TrainingOptions& options) {
  const ImageData images = ChooseMnist(options.data);
  const Splits data = GetDatasets(images, options);
  Print("Data: {}\n", images.description);
  Print("Number of devices: {}\n", strategy.num_replicas_in_sync());
  SetRandomSeed(options.seed);
  {
    StrategyScope scope = strategy.Scope();
    const Model model = GetCompiledModel();
    model.Fit(data.train,
              {.epochs = options.epochs, .validation_data = data.validation});
    const Logs logs = model.Evaluate(data.test);
    Print("Test loss: {:.4f}, test accuracy: {:.4f}\n", logs.at("loss"),
          logs.at("sparse_categorical_accuracy"));
  }
  RunTraining(strategy, data, options.folder);
  RunTraining(strategy, data, options.folder);
}

}  // namespace
}  // namespace lockstep::examples

int main(int argc, char** argv) {
  using namespace lockstep::examples;
  TrainingOptions options;
  options.epochs = 2;
  options.results = "restarted_training";
  return RunTrainingProgram(
      {.name = "restarted_training",
       .description = "Training that resumes where it ended, as in the guide.",
       .examples = kExamples,
       .folder_flag = "--folder",
       .options = options,
       .train = Train},
      argc, argv);
}
