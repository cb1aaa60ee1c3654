#include "benchmarks/scaling_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <thread>

namespace lockstep::benchmarks {
namespace {

constexpr char kDescription[] =
    "Trains the Fashion-MNIST CNN of the custom-training document (Adam, 64\n"
    "images a replica) at several numbers of replicas and shows how it "
    "scales.\n";

constexpr char kExamples[] =
    "Examples:\n"
    "  ./bazelw run //benchmarks:scaling\n"
    "      10 epochs at 1 and at 2 replicas, result and report in this folder\n"
    "  ./bazelw run //benchmarks:scaling -- --replicas=1,2,4 --epochs=3\n"
    "  ./bazelw run //benchmarks:scaling -- --data=embedded --epochs=1 \\\n"
    "      --json=quick.json --report=none\n"
    "\n"
    "Ctrl-C stops after the current step; what was measured is written and\n"
    "marked incomplete. The full data set comes with ./bazelw run "
    "//datasets:fetch.\n";

void AddOptions(CLI::App& app, ScalingOptions& options) {
  app.add_option("--epochs", options.epochs, "epochs to train")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--replicas", options.replicas,
                 "numbers of replicas, separated by commas")
      ->delimiter(',')
      ->check(CLI::Range(1, 256))
      ->default_str("1,2");
  app.add_option("--data", options.data,
                 "full (60,000 images), embedded (10,000), or auto: full where "
                 "it is at hand")
      ->check(CLI::IsMember({"auto", "full", "embedded"}))
      ->capture_default_str();
  app.add_option("--json", options.json,
                 "result file (default: scaling-<date>.json here)");
  app.add_option("--report", options.report,
                 "HTML page, or none (default: beside the result file)");
  app.add_option("--seed", options.seed, "seed of weights and shuffling")
      ->capture_default_str();
  app.add_option("--threads", options.threads,
                 "cores to use in all, shared by the replicas (0: all)")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  app.add_option("--steps", options.steps,
                 "at most so many steps an epoch (0: the whole data set)")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
}

// Each number once, ascending; all the cores unless told otherwise.
void Complete(ScalingOptions& options) {
  std::ranges::sort(options.replicas);
  const auto repeated = std::ranges::unique(options.replicas);
  options.replicas.erase(repeated.begin(), repeated.end());
  if (options.threads == 0) {
    options.threads =
        std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  }
}

}  // namespace

ParsedOptions ParseScalingOptions(int argc, const char* const* argv) {
  ParsedOptions parsed;
  CLI::App app{kDescription, "scaling"};
  app.footer(kExamples);
  AddOptions(app, parsed.options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    parsed.exit = true;
    parsed.exit_status = app.exit(error) == 0 ? 0 : 2;
    return parsed;
  }
  Complete(parsed.options);
  return parsed;
}

}  // namespace lockstep::benchmarks
