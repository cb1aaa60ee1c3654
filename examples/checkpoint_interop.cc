// Writes and reads checkpoints that TensorFlow reads and writes, to hold both
// against each other: benchmarks/peers/exchange/exchange_checkpoints.py runs it beside
// TensorFlow.
//
//   checkpoint_interop --write=DIR    trains the document's model with Adam on
//       exact batches under --replicas, saves DIR/ckpt-1, takes --next more
//       steps, and prints their losses as JSON.
//   checkpoint_interop --read=DIR     (or a checkpoint's prefix) restores it,
//       asserts that everything in it and in the program was matched, and goes
//       on in the same way.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command_line/parse.h"
#include "command_line/program.h"
#include "examples/exact_training.h"
#include "examples/fashion_mnist_model.h"
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

constexpr char kExamples[] =
    "Examples:\n"
    "  bazel-bin/examples/checkpoint_interop --write=/tmp/ours\n"
    "  bazel-bin/examples/checkpoint_interop --read=/tmp/theirs --replicas=1\n"
    "  bazel-bin/examples/checkpoint_interop --read=/tmp/theirs/ckpt-1 "
    "--next=5\n"
    "\n"
    "Exit status: 0; 1 when something failed, 2 for a wrong command line.\n";

void Describe(CLI::App& app, Options& options) {
  app.footer(kExamples);
  auto* write = app.add_option("--write", options.write, "folder to save in");
  app.add_option("--read", options.read, "folder or prefix to restore")
      ->excludes(write);
  app.add_option("--replicas", options.replicas, "0: without a strategy")
      ->check(WholeNumber(0, 256))
      ->capture_default_str();
  app.add_option("--steps", options.steps, "steps before the checkpoint")
      ->check(WholeNumber<int64_t>())
      ->capture_default_str();
  app.add_option("--next", options.next, "steps after it")
      ->check(WholeNumber<int64_t>())
      ->capture_default_str();
}

int Main(int argc, char** argv) {
  Options options;
  CLI::App app("Exchanges checkpoints with TensorFlow.", "checkpoint_interop");
  Describe(app, options);
  const auto status = ParseCommandLine(app, argc, argv, [&] {
    if (options.write.empty() == options.read.empty()) {
      throw CLI::RequiredError("--write or --read");
    }
  });
  if (status) return *status;
  EnterUsersFolder();
  Print("{}\n", Exchange(options).dump());
  return 0;
}

}  // namespace
}  // namespace lockstep::examples

int main(int argc, char** argv) {
  return lockstep::RunProgram(
      [&] { return lockstep::examples::Main(argc, argv); });
}
