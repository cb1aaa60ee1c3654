// Training by fit: the program of TensorFlow's document "Distributed training
// with Keras".
//
//   ./bazelw run //examples:fit_training
//
// trains a convolutional network on MNIST for twelve epochs with four
// callbacks, evaluates the weights that were saved last, exports the model as a
// SavedModel for TensorFlow, saves it as a Keras file, and evaluates that file
// loaded without a strategy and with one.

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "command_line/program.h"
#include "examples/mnist_data.h"
#include "examples/training_options.h"
#include "image_datasets/image_data.h"
#include "reference/lockstep.h"

namespace lockstep::examples {
namespace {

constexpr int64_t kBufferSize = 10'000;
constexpr int64_t kBatchSizePerReplica = 64;

constexpr char kExamples[] =
    "Examples:\n"
    "  ./bazelw run //examples:fit_training\n"
    "      12 epochs on two replicas, as the document has them\n"
    "  ./bazelw run //examples:fit_training -- --epochs=2 --replicas=4\n"
    "  ./bazelw run //examples:fit_training -- --data=embedded --steps=20 "
    "\\\n"
    "      --folder=my_training\n"
    "\n"
    "Exit status: 0; 1 when something failed, 2 for a wrong command line.\n";

Sequential CreateModel() {
  return Sequential({
      Input({28, 28, 1}),
      Conv2D(32, 3, {.activation = Activation::kRelu}),
      MaxPooling2D(),
      Flatten(),
      Dense(64, {.activation = Activation::kRelu}),
      Dense(10),
  });
}

void Compile(const Model& model) {
  model.Compile(
      {.optimizer = std::make_shared<Adam>(),
       .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
       .metrics = {"accuracy"}});
}

// The learning rate of an epoch.
double Decay(int epoch) {
  if (epoch < 3) return 1e-3;
  return epoch < 7 ? 1e-4 : 1e-5;
}

class PrintLR : public Callback {
 public:
  void OnEpochEnd(int epoch, Logs& /*logs*/) override {
    Print("Learning rate for epoch {} is {}\n", epoch + 1,
          model().optimizer().learning_rate());
  }
};

void PrintFiles(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename());
  }
  std::ranges::sort(names);
  for (const std::string& name : names) Print("{}\n", name);
}

void Evaluate(const Model& model, const Dataset& data) {
  const Logs logs = model.Evaluate(data);
  Print("Eval loss: {}, Eval accuracy: {}\n", logs.at("loss"),
        logs.at("accuracy"));
}

void Train(Strategy& strategy, const TrainingOptions& options) {
  const ImageData data = ChooseMnist(options.data);
  const int64_t batch_size =
      kBatchSizePerReplica * strategy.num_replicas_in_sync();
  Print("Data: {}\n", data.description);
  Print("Number of devices: {}\n", strategy.num_replicas_in_sync());
  const Dataset train_dataset = ToDataset(data.train)
                                    .Map(ScaleFirst)
                                    .Cache()
                                    .Shuffle(kBufferSize, options.seed)
                                    .Batch(batch_size)
                                    .Take(options.steps);
  const Dataset eval_dataset =
      ToDataset(data.test).Map(ScaleFirst).Batch(batch_size);
  SetRandomSeed(options.seed);
  const std::string checkpoints = options.folder + "/training_checkpoints";
  const std::string saved_file = options.folder + "/model.keras";
  {
    StrategyScope scope = strategy.Scope();
    const Sequential model = CreateModel();
    Compile(model);
    model.Fit(
        train_dataset,
        {.epochs = options.epochs,
         .callbacks = {MakeCallback<TensorBoard>(options.folder + "/logs"),
                       MakeCallback<ModelCheckpoint>(
                           checkpoints + "/ckpt_{epoch}",
                           ModelCheckpointOptions{.save_weights_only = true}),
                       MakeCallback<LearningRateScheduler>(Decay),
                       MakeCallback<PrintLR>()}});
    PrintFiles(checkpoints);
    model.LoadWeights(LatestCheckpoint(checkpoints).value());
    Evaluate(model, eval_dataset);
    model.Export(options.folder + "/saved_model");
    model.Save(saved_file);
  }
  Evaluate(LoadModel(saved_file), eval_dataset);
  StrategyScope scope = strategy.Scope();
  Evaluate(LoadModel(saved_file), eval_dataset);
}

}  // namespace
}  // namespace lockstep::examples

int main(int argc, char** argv) {
  using namespace lockstep::examples;
  TrainingOptions options;
  options.epochs = 12;
  options.results = "fit_training";
  return RunTrainingProgram(
      {.name = "fit_training",
       .description = "Training by fit, as in the document.",
       .examples = kExamples,
       .folder_flag = "--folder",
       .options = options,
       .train = Train},
      argc, argv);
}
