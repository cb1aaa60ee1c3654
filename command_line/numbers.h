// Numbers on a command line: all of them, and only them, that the option has a
// meaning for. CLI11's own ranges let NaN through, read 010 as 8, -1 as 2^64 - 1
// and 2^64 as that too.
//
//   app.add_option("--epochs", epochs)->check(WholeNumber(1, 1000));
//   app.add_option("--seed", seed)->check(WholeNumber<uint64_t>());
//   app.add_option("--l2", l2)->check(RealNumber(0, 1));
#ifndef LOCKSTEP_COMMAND_LINE_NUMBERS_H_
#define LOCKSTEP_COMMAND_LINE_NUMBERS_H_

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <limits>
#include <string>

namespace lockstep {

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

}  // namespace lockstep

#endif  // LOCKSTEP_COMMAND_LINE_NUMBERS_H_
