// Writes and reads checkpoints that TensorFlow reads and writes, to hold both
// against each other: benchmarks/peers/exchange_checkpoints.py runs it beside
// TensorFlow.
//
//   checkpoint_interop --write=DIR    trains the document's model with Adam on
//       exact batches under --replicas, saves DIR/ckpt-1, takes --next more
//       steps, and prints their losses as JSON.
//   checkpoint_interop --read=DIR     (or a checkpoint's prefix) restores it,
//       asserts that everything in it and in the program was matched, and goes
//       on in the same way.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "examples/exact_fixture.h"
#include "examples/exact_training.h"
#include "examples/fashion_mnist_model.h"
#include "reference/base/error.h"
#include "reference/base/json.h"
#include "reference/checkpoint/checkpoint.h"
#include "reference/checkpoint/checkpoint_state.h"
#include "reference/distribute/mirrored_strategy.h"

namespace lockstep::examples {
namespace {

struct Options {
  std::string write;
  std::string read;
  int replicas = 2;
  int64_t steps = 10;
  int64_t next = 3;
};

// The default strategy for 0 replicas.
Strategy& MakeStrategy(int replicas, std::unique_ptr<Strategy>& owner) {
  if (replicas == 0) return GetStrategy();
  SetLogicalCpuDevices(replicas);
  std::vector<std::string> devices;
  for (int i = 0; i < replicas; ++i) {
    devices.push_back(fmt::format("CPU:{}", i));
  }
  owner = std::make_unique<MirroredStrategy>(devices);
  return *owner;
}

Json Exchange(const Options& options) {
  std::unique_ptr<Strategy> owner;
  ExactTraining training(MakeStrategy(options.replicas, owner), CreateModel);
  Json result;
  if (!options.write.empty()) {
    SetExactWeights(training.model());
    result["losses"] = training.Train(options.steps);
    result["prefix"] = training.checkpoint().Save(options.write + "/ckpt");
  } else {
    const std::string prefix =
        LatestCheckpoint(options.read).value_or(options.read);
    training.checkpoint().Restore(prefix).AssertConsumed();
    result["prefix"] = prefix;
    result["consumed"] = true;
  }
  result["steps"] = training.optimizer().iterations();
  result["next_losses"] = training.Train(options.next);
  return result;
}

int Main(int argc, char** argv) {
  Options options;
  CLI::App app("Exchanges checkpoints with TensorFlow.");
  auto* write = app.add_option("--write", options.write, "folder to save in");
  app.add_option("--read", options.read, "folder or prefix to restore")
      ->excludes(write);
  app.add_option("--replicas", options.replicas, "0: without a strategy")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--steps", options.steps, "steps before the checkpoint")
      ->capture_default_str();
  app.add_option("--next", options.next, "steps after it")
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  if (options.write.empty() == options.read.empty()) {
    throw InvalidArgument("[checkpoint_interop] wants --write or --read");
  }
  fmt::print("{}\n", Exchange(options).dump());
  return 0;
}

}  // namespace
}  // namespace lockstep::examples

int main(int argc, char** argv) {
  try {
    return lockstep::examples::Main(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
