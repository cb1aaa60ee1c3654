// Training by iterators and steps that are built first and run when they are
// evaluated: the program of TensorFlow 1's document "Training loops with
// tf.distribute.Strategy".
//
//   ./bazelw run //examples:graph_mode_training
//
// As in the document, a step is taken only where its loss is printed, and the
// model's last layer is a softmax although the loss takes logits.

#include "command_line/program.h"
#include "examples/training_options.h"
#include "image_datasets/embedded/choose_fashion_mnist.h"
#include "image_datasets/image_data.h"
#include "reference/lockstep.h"

namespace lockstep::examples {
namespace {

constexpr int64_t kBatchSizePerReplica = 64;
constexpr int64_t kPrintEvery = 1000;

constexpr char kExamples[] =
    "Examples:\n"
    "  ./bazelw run //examples:graph_mode_training\n"
    "      10 epochs of 10,000 steps, of which every 1000th is evaluated\n"
    "  ./bazelw run //examples:graph_mode_training -- --data=embedded "
    "--epochs=2\n"
    "\n"
    "Exit status: 0; 1 when something failed, 2 for a wrong command line.\n";

Sequential CreateModel() {
  return Sequential({
      Conv2D(32, 3, {.activation = Activation::kRelu}),
      MaxPooling2D(),
      Conv2D(64, 3, {.activation = Activation::kRelu}),
      MaxPooling2D(),
      Flatten(),
      Dense(64, {.activation = Activation::kRelu}),
      Dense(10, {.activation = Activation::kSoftmax}),
  });
}

void Train(Strategy& strategy, const TrainingOptions& options) {
  const ImageData data = ChooseFashionMnist(options.data).data;
  const int64_t batch_size =
      kBatchSizePerReplica * strategy.num_replicas_in_sync();
  Print("Data: {}\n", data.description);
  Print("Number of devices: {}\n", strategy.num_replicas_in_sync());
  const InputIterator train_iterator = MakeDatasetIterator(
      strategy, ToDataset(data.train)
                    .Shuffle(data.train.size(), options.seed)
                    .Batch(batch_size)
                    .Map(ScaleFirst));
  SetRandomSeed(options.seed);
  StrategyScope scope = strategy.Scope();
  const Sequential model = CreateModel();
  Sgd optimizer({.learning_rate = 0.001});
  const losses::SparseCategoricalCrossentropy cross_entropy(
      {.from_logits = true, .reduction = losses::Reduction::kSum});
  const auto per_replica_losses = ExperimentalRun(
      strategy,
      [&](const Structure& inputs) {
        GradientTape tape;
        const Tensor logits = model(inputs[0], /*training=*/true);
        const Tensor loss = cross_entropy(inputs[1], logits) *
                            (1.0 / static_cast<double>(batch_size));
        const auto variables = model.trainable_variables();
        optimizer.ApplyGradients(
            Zip(tape.Gradient(loss, variables), variables));
        return loss;
      },
      train_iterator);
  const auto loss =
      per_replica_losses.Then([&](const PerReplica<Tensor>& losses) {
        return strategy.Reduce(ReduceOp::kSum, losses);
      });
  const int64_t steps = options.steps < 0 ? 10'000 : options.steps;
  for (int epoch = 0; epoch < options.epochs; ++epoch) {
    train_iterator.Initialize();
    for (int64_t step = 0; step < steps; step += kPrintEvery) {
      Print("Epoch {} Step {} Loss {:.4f}\n", epoch + 1, step,
            loss.Evaluate().item<float>());
    }
  }
}

}  // namespace
}  // namespace lockstep::examples

int main(int argc, char** argv) {
  using namespace lockstep::examples;
  return RunTrainingProgram(
      {.name = "graph_mode_training",
       .description = "Training by steps that run when they are evaluated.",
       .examples = kExamples,
       .folder_flag = "",
       .train = Train},
      argc, argv);
}
