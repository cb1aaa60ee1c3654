#include "conformance/runner/dialect.h"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep {

bool Applies(const Dialect& when, const Dialect& dialect) {
  return std::ranges::all_of(when, [&](const auto& wanted) {
    const auto found = dialect.find(wanted.first);
    return found != dialect.end() && found->second == wanted.second;
  });
}

bool ExcludeEachOther(const Dialect& when, const Dialect& other) {
  return std::ranges::any_of(when, [&](const auto& wanted) {
    const auto found = other.find(wanted.first);
    return found != other.end() && found->second != wanted.second;
  });
}

std::string DescribeDialect(const Dialect& dialect) {
  std::string text;
  for (const auto& [convention, value] : dialect) {
    text +=
        fmt::format("{}{}: {}", text.empty() ? "" : ", ", convention, value);
  }
  return text;
}

}  // namespace lockstep
