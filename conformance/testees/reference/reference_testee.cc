#include "conformance/testees/reference/reference_testee.h"

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>

#include "conformance/runner/cases/program.h"
#include "conformance/testees/reference/interpreter.h"
#include "conformance/testees/reference/value.h"
#include "reference/base/error.h"
#include "reference/base/log.h"
#include "reference/device/device.h"
#include "reference/distribute/mirrored_strategy.h"
#include "reference/layers/layer.h"

namespace lockstep::conformance {
namespace {

// An empty folder while it lives.
class ProgramFolder {
 public:
  ProgramFolder() {
    std::string form =
        (std::filesystem::temp_directory_path() / "lockstep-XXXXXX").string();
    if (!mkdtemp(form.data())) {
      throw Unavailable("[ReferenceTestee] cannot make a folder {}", form);
    }
    path_ = form;
  }
  ~ProgramFolder() {
    std::error_code ignored;  // left behind where it cannot be removed
    std::filesystem::remove_all(path_, ignored);
  }
  ProgramFolder(const ProgramFolder&) = delete;
  ProgramFolder& operator=(const ProgramFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

int Count(const Json& given, const char* field, int otherwise) {
  const auto found = given.find(field);
  if (found == given.end()) return otherwise;
  const std::optional<int64_t> count = IntegerIn(*found);
  if (!count || *count < 1 || *count > kMostReplicas) {
    throw ProgramError(fmt::format("'{}' is 1 to {}, got {}", field,
                                   kMostReplicas, found->dump()));
  }
  return static_cast<int>(*count);
}

bool IsMirrored(const Json& given) {
  const auto strategy = given.find("strategy");
  if (strategy == given.end() ||
      (*strategy != "mirrored" && *strategy != "default")) {
    throw ProgramError("the given strategy is neither mirrored nor default");
  }
  return *strategy == "mirrored";
}

std::shared_ptr<Strategy> MakeGivenStrategy(const Json& given,
                                            const TestedDevices& devices) {
  const int replicas = Count(given, "replicas", 1);
  devices.SetCount(Count(given, "logical_devices", replicas));
  if (!IsMirrored(given)) return nullptr;
  std::vector<std::string> names;
  for (int i = 0; i < replicas; ++i) {
    names.push_back(devices.Translate(fmt::format("CPU:{}", i)));
  }
  return std::make_shared<MirroredStrategy>(
      names, MirroredStrategyOptions{.threads_per_replica = 1});
}

Json RunGiven(const Request& request, const StepTable& table,
              const TestedDevices& devices) {
  const LogCapture no_log;  // a line for each strategy helps nobody here
  const ProgramFolder folder;
  SetDTypePolicy("float32");
  const std::shared_ptr<Strategy> strategy =
      MakeGivenStrategy(request.given, devices);
  const DeviceScope on(FindDevice(devices.Translate("CPU:0")));
  std::optional<StrategyScope> scope;
  if (strategy) scope.emplace(*strategy);
  Environment environment;
  if (strategy) environment.Bind("strategy", strategy);
  RunProgram(request.program, environment, table, folder.path());
  return environment.observations();
}

TesteeDeclaration Declare(const StepTable& table,
                          const TestedDevices& devices) {
  TesteeDeclaration declaration;
  declaration.name = "reference";
  declaration.implementation = "Lockstep reference";
  declaration.language = "c++";
  declaration.devices = {devices.kind_name()};
  declaration.conventions = {
      {"gradient_combination", "sum"},  {"indivisible_batch", "split"},
      {"end_of_data", "split"},         {"placement", "blocks"},
      {"empty_replica", "empty_batch"}, {"loss_reduction", "global_batch"}};
  for (const auto& [name, function] : table.steps()) {
    declaration.steps.push_back(name);
  }
  return declaration;
}

}  // namespace

ReferenceTestee::ReferenceTestee(DeviceKind kind)
    : devices_(kind),
      table_(MakeStepTable(devices_)),
      declaration_(Declare(table_, devices_)) {}

Answer ReferenceTestee::Run(const Request& request) {
  try {
    return Observations{RunGiven(request, table_, devices_)};
  } catch (const StepError& error) {
    return Failure{.error_class = std::string(CodeName(error.code())),
                   .message = error.what(),
                   .at_step = error.step()};
  } catch (const UnsupportedStep& unsupported) {
    return Unsupported{.step = unsupported.step(),
                       .reason = unsupported.what()};
  }
}

}  // namespace lockstep::conformance
