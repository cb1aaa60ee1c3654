#include "examples/exchange_program.h"

#include <nlohmann/json.hpp>

#include "command_line/parse.h"
#include "command_line/program.h"
#include "examples/training_options.h"
#include "reference/distribute/mirrored_strategy.h"

namespace lockstep::examples {

void AddExchangeOptions(CLI::App& app, ExchangeOptions& options,
                        const std::string& what) {
  auto* write = app.add_option("--write", options.write, "folder to save in");
  app.add_option("--read", options.read, what)->excludes(write);
  app.add_option("--replicas", options.replicas, "0: without a strategy")
      ->check(WholeNumber(0, 256))
      ->capture_default_str();
}

Strategy& ExchangeStrategy(int replicas, std::unique_ptr<Strategy>& owner) {
  if (replicas == 0) return GetStrategy();
  owner = std::make_unique<MirroredStrategy>(CpuDevices(replicas));
  return *owner;
}

int RunExchange(CLI::App& app, const ExchangeOptions& options, int argc,
                char** argv, const std::function<Json()>& exchange) {
  return RunProgram([&] {
    const auto status = ParseCommandLine(app, argc, argv, [&] {
      if (options.write.empty() == options.read.empty()) {
        throw CLI::RequiredError("--write or --read");
      }
    });
    if (status) return *status;
    EnterUsersFolder();
    Print("{}\n", exchange().dump());
    return 0;
  });
}

}  // namespace lockstep::examples
