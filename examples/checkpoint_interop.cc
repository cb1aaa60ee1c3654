// Exchanges checkpoints with TensorFlow, to compare both:
// benchmarks/peers/exchange/exchange_checkpoints.py runs it and TensorFlow.
//
//   checkpoint_interop --write=DIR    trains the document's model with Adam on
//       exact batches under --replicas, saves DIR/ckpt-1, takes --next more
//       steps, and prints their losses as JSON.
//   checkpoint_interop --read=DIR     (or a checkpoint's prefix) restores it,
//       asserts that everything in it and in the program was matched, and goes
//       on in the same way.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command_line/parse.h"
#include "examples/exact_training.h"
#include "examples/exchange_program.h"
#include "examples/fashion_mnist_model.h"
#include "reference/base/json.h"
#include "reference/checkpoint/checkpoint.h"
#include "reference/checkpoint/checkpoint_state.h"

namespace lockstep::examples {
namespace {

struct Options {
  ExchangeOptions exchange = {.write = "", .read = "", .replicas = 2};
  int64_t steps = 10;
  int64_t next = 3;
};

Json Exchange(const Options& options) {
  std::unique_ptr<Strategy> owner;
  ExactTraining training(ExchangeStrategy(options.exchange.replicas, owner),
                         CreateModel);
  Json result;
  if (!options.exchange.write.empty()) {
    SetExactWeights(training.model());
    result["losses"] = training.Train(options.steps);
    result["prefix"] =
        training.checkpoint().Save(options.exchange.write + "/ckpt");
  } else {
    const std::string prefix =
        LatestCheckpoint(options.exchange.read).value_or(options.exchange.read);
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

}  // namespace
}  // namespace lockstep::examples

int main(int argc, char** argv) {
  using namespace lockstep::examples;
  Options options;
  CLI::App app("Exchanges checkpoints with TensorFlow.", "checkpoint_interop");
  app.footer(kExamples);
  AddExchangeOptions(app, options.exchange, "folder or prefix to restore");
  app.add_option("--steps", options.steps, "steps before the checkpoint")
      ->check(lockstep::WholeNumber<int64_t>())
      ->capture_default_str();
  app.add_option("--next", options.next, "steps after it")
      ->check(lockstep::WholeNumber<int64_t>())
      ->capture_default_str();
  return RunExchange(app, options.exchange, argc, argv,
                     [&] { return Exchange(options); });
}
