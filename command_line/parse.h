// Parses command lines: numbers, and the exit statuses of all programs.
//
//   app.add_option("--epochs", epochs)->check(WholeNumber(1, 1000));
//   app.add_option("--seed", seed)->check(WholeNumber<uint64_t>());
//   app.add_option("--l2", l2)->check(RealNumber(0, 1));
//   if (const auto status = ParseCommandLine(app, argc, argv)) return *status;
#ifndef LOCKSTEP_COMMAND_LINE_PARSE_H_
#define LOCKSTEP_COMMAND_LINE_PARSE_H_

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <functional>
#include <limits>
#include <optional>
#include <string>

namespace lockstep {

// Validators of numbers on a command line. CLI11's own ranges accept NaN, read
// 010 as 8, and -1 and 2^64 as 2^64 - 1.
//
// From `least` to `most`, in decimal digits without leading zeros.
template <typename T = int>
CLI::Validator WholeNumber(T least = 0,
                           T most = std::numeric_limits<T>::max()) {
  const auto check = [=](const std::string& text) -> std::string {
    T value{};
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    const bool whole = error == std::errc{} && rest == end;
    if (whole && least <= value && value <= most &&
        fmt::to_string(value) == text)
      return "";
    return fmt::format("wanted a whole number from {} to {}, got '{}'", least,
                       most, text);
  };
  return CLI::Validator(check, fmt::format("{} to {}", least, most));
}

// From `least` to `most`, both finite: "0.5", "1e-4".
CLI::Validator RealNumber(double least, double most);

// Adds --version. Statuses: 0 after --help and --version, 2 with a message for
// an invalid command line. In addition to CLI11's errors refuses an option with
// an empty value: "--json= --epochs=1" would otherwise write a file called
// "--epochs=1".
inline constexpr int kWrongUsage = 2;

// Returns nothing if the program should continue. `check` validates
// combinations of options and throws CLI::ValidationError(option, problem).
std::optional<int> ParseCommandLine(
    CLI::App& app, int argc, const char* const* argv,
    const std::function<void()>& check = [] {});

}  // namespace lockstep

#endif  // LOCKSTEP_COMMAND_LINE_PARSE_H_
