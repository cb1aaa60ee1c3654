// Reads a program's command line, with the exit statuses that all of ours have.
//
//   if (const auto status = ParseCommandLine(app, argc, argv)) return *status;
//
// 0 after --help, 2 with a message when the command line is wrong; beyond what
// CLI11 refuses, an option without its value: "--json= --epochs=1" would
// otherwise write a file called "--epochs=1".
#ifndef LOCKSTEP_COMMAND_LINE_PARSE_H_
#define LOCKSTEP_COMMAND_LINE_PARSE_H_

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>

namespace lockstep {

inline constexpr int kWrongUsage = 2;

// Nothing when the program is to go on. `check` looks at options together and
// throws CLI::ValidationError(option, problem).
std::optional<int> ParseCommandLine(
    CLI::App& app, int argc, const char* const* argv,
    const std::function<void()>& check = [] {});

}  // namespace lockstep

#endif  // LOCKSTEP_COMMAND_LINE_PARSE_H_
