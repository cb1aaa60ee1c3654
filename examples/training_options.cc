#include "examples/training_options.h"

#include <fmt/core.h>

#include <cstdio>

#include "command_line/parse.h"
#include "command_line/program.h"
#include "reference/device/device.h"
#include "reference/distribute/mirrored_strategy.h"

namespace lockstep::examples {

void AddOptions(CLI::App& app, TrainingOptions& options,
                const std::string& folder_flag) {
  app.add_option("--epochs", options.epochs, "passes over the images")
      ->check(WholeNumber(1))
      ->capture_default_str();
  app.add_option("--replicas", options.replicas,
                 "logical CPU devices of a process")
      ->check(WholeNumber(1, 256))
      ->capture_default_str();
  app.add_option("--data", options.data,
                 "full, embedded, or auto: full if available")
      ->check(CLI::IsMember({"auto", "full", "embedded"}))
      ->capture_default_str();
  if (!folder_flag.empty()) {
    app.add_option(folder_flag, options.folder,
                   fmt::format("where files go (default: results/{} in the "
                               "checkout)",
                               options.results));
  }
  app.add_option("--seed", options.seed, "of weights and order")
      ->check(WholeNumber<uint64_t>())
      ->capture_default_str();
  app.add_option("--steps", options.steps, "at most so many an epoch")
      ->check(WholeNumber<int64_t>(1));
}

std::optional<int> ReadOptions(CLI::App& app, int argc, char** argv,
                               TrainingOptions& options) {
  if (const auto status = ParseCommandLine(app, argc, argv)) return status;
  EnterUsersFolder();
  if (options.folder.empty()) {
    options.folder = ResultsFolder() + "/" + options.results;
  }
  return std::nullopt;
}

std::vector<std::string> CpuDevices(int count) {
  SetLogicalCpuDevices(count);
  std::vector<std::string> devices;
  for (int i = 0; i < count; ++i) devices.push_back(fmt::format("CPU:{}", i));
  return devices;
}

int RunTrainingProgram(TrainingProgram program, int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // line by line
  return RunProgram([&] {
    CLI::App app(program.description, program.name);
    app.footer(program.examples);
    TrainingOptions& options = program.options;
    AddOptions(app, options, program.folder_flag);
    if (const auto status = ReadOptions(app, argc, argv, options)) {
      return *status;
    }
    MirroredStrategy strategy(CpuDevices(options.replicas));
    program.train(strategy, options);
    return 0;
  });
}

}  // namespace lockstep::examples
