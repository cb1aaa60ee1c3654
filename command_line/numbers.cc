#include "command_line/numbers.h"

#include <functional>
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

// False for NaN.
CLI::Validator Real(const std::function<bool(double)>& fits,
                    const std::string& wanted) {
  const auto check = [=](const std::string& text) -> std::string {
    const std::optional<double> value = Parse(text);
    if (value && fits(*value)) return "";
    return fmt::format("wants a number {}, got '{}'", wanted, text);
  };
  return CLI::Validator(check, wanted);
}

}  // namespace

CLI::Validator RealNumber(double least, double most) {
  return Real([=](double value) { return least <= value && value <= most; },
              fmt::format("from {} to {}", least, most));
}

CLI::Validator PositiveRealNumber() {
  constexpr double kMost = std::numeric_limits<double>::max();
  return Real([](double value) { return 0 < value && value <= kMost; },
              "more than 0");
}

}  // namespace lockstep
