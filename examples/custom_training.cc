// Custom training with a strategy: the program of TensorFlow's document
// "Custom training with tf.distribute.Strategy".
//
//   ./bazelw run //examples:custom_training -- --epochs=2
//
// trains a convolutional network on Fashion-MNIST, one replica a device, saves
// a checkpoint every second epoch, and restores the last one without a
// strategy.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "command_line/program.h"
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

int Main(int argc, char** argv) {
  TrainingOptions options;
  CLI::App app("Custom training with a strategy, as the document does it.",
               "custom_training");
  app.footer(kExamples);
  AddOptions(app, options, "--checkpoint_dir");
  if (const auto status = ReadOptions(app, argc, argv, options)) return *status;
  MirroredStrategy strategy(CpuDevices(options.replicas));
  CustomTraining(strategy, options).Run();
  return 0;
}

}  // namespace
}  // namespace lockstep::examples

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // a line an epoch, at once
  return lockstep::RunProgram(
      [&] { return lockstep::examples::Main(argc, argv); });
}
