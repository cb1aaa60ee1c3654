// Custom training with a strategy: the program of TensorFlow's document
// "Custom training with tf.distribute.Strategy".
//
//   ./bazelw run //examples:custom_training -- --epochs=2
//
// trains a convolutional network on Fashion-MNIST, one replica per device,
// saves a checkpoint every second epoch, and restores the last one without a
// strategy. Then it continues training in the document's two other ways: epochs
// of ten steps of an iterator, and epochs that are one call of a function.

#include "examples/custom_training_loop.h"
#include "examples/training_options.h"
#include "reference/lockstep.h"

namespace lockstep::examples {
namespace {

constexpr char kExamples[] =
    "Examples:\n"
    "  ./bazelw run //examples:custom_training\n"
    "      10 epochs on two replicas, as the document has them\n"
    "  ./bazelw run //examples:custom_training -- --epochs=2 --replicas=4\n"
    "  ./bazelw run //examples:custom_training -- --data=embedded --steps=20 "
    "\\\n"
    "      --checkpoint_dir=my_checkpoints\n"
    "\n"
    "Exit status: 0; 1 when something failed, 2 for a wrong command line.\n";

}  // namespace
}  // namespace lockstep::examples

int main(int argc, char** argv) {
  using namespace lockstep::examples;
  return RunTrainingProgram(
      {.name = "custom_training",
       .description = "Custom training with a strategy, as in the document.",
       .examples = kExamples,
       .folder_flag = "--checkpoint_dir",
       .train =
           [](lockstep::Strategy& strategy, const TrainingOptions& options) {
             CustomTraining training(strategy, options);
             training.Run();
             training.IterateOverSteps();
             training.CallEpochFunction();
           }},
      argc, argv);
}
