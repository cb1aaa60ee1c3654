#include "command_line/numbers.h"

#include <optional>

namespace lockstep {
namespace {

// Nothing for what is no number to the end of the text.
std::optional<double> Parse(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || rest != end) return std::nullopt;
  return value;
}

}  // namespace

CLI::Validator RealNumber(double least, double most) {
  const auto check = [=](const std::string& text) -> std::string {
    const std::optional<double> value = Parse(text);
    // False for NaN.
    if (value && least <= *value && *value <= most) return "";
    return fmt::format("wanted a number from {} to {}, got '{}'", least, most,
                       text);
  };
  return CLI::Validator(check, fmt::format("{} to {}", least, most));
}

}  // namespace lockstep
