#include "conformance/runner/commands/make_testee.h"

#include <fmt/format.h>

#include <cmath>

#include "conformance/runner/commands/frameworks_python.h"
#include "conformance/runner/commands/user_paths.h"
#include "conformance/runner/pipe/pipe_testee.h"
#include "reference/base/error.h"

namespace lockstep {
namespace {

bool IsCommand(const std::string& wanted) {
  return wanted.find_first_of(" /") != std::string::npos;
}

// The shell splits it into words; `exec`: no shell stays between us and it.
std::vector<std::string> ShellCommand(const std::string& command) {
  return {"sh", "-c", "cd \"$0\" && exec " + command, OutputPath(".")};
}

std::unique_ptr<Testee> MakePiped(std::vector<std::string> command,
                                  const TesteeLimits& limits) {
  command =
      ResolvePython(std::move(command), [] { return FrameworksPython(); });
  PipeTesteeOptions options;
  options.case_deadline =
      std::chrono::milliseconds(std::llround(limits.deadline_s * 1000));
  options.most_memory = limits.most_memory;
  options.interrupted = limits.interrupted;
  return std::make_unique<PipeTestee>(std::move(command), options);
}

std::string KnownNames(const TesteeMakers& in_process,
                       const TesteeTable& table) {
  std::vector<std::string> names;
  for (const auto& [name, unused] : in_process) names.push_back(name);
  for (const NamedTestee& testee : table.testees()) {
    names.push_back(testee.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

ChosenTestee MakeTestee(const std::string& wanted, const TesteeLimits& limits,
                        const TesteeMakers& in_process,
                        const TesteeTable& table) {
  if (const auto maker = in_process.find(wanted); maker != in_process.end()) {
    return {.testee = maker->second(), .deviations = wanted};
  }
  if (const NamedTestee* named = table.Find(wanted)) {
    return {.testee = MakePiped(named->command, limits),
            .deviations = named->deviations};
  }
  if (!IsCommand(wanted)) {
    throw NotFound(
        "[Run] there is no testee '{}', wanted one of {}, or a command (with a "
        "space or a slash in it)",
        wanted, KnownNames(in_process, table));
  }
  return {.testee = MakePiped(ShellCommand(wanted), limits), .deviations = ""};
}

}  // namespace lockstep
