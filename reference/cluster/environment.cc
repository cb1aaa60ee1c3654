#include "reference/cluster/environment.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <utility>

#include "reference/base/error.h"

namespace lockstep {

Environment::Environment(std::map<std::string, std::string> variables)
    : lookup_([variables = std::move(variables)](
                  const std::string& name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        if (found == variables.end()) return std::nullopt;
        return found->second;
      }) {}

Environment Environment::OfProcess() {
  return Environment([](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return value;
  });
}

std::string VariableReader::Text(const std::string& name) const {
  if (auto text = Find(name)) return *std::move(text);
  throw InvalidArgument("[{}] {} must be set, got an environment without it",
                        operation_, name);
}

std::optional<int> VariableReader::FindNumber(const std::string& name,
                                              int least, int most) const {
  const std::optional<std::string> text = Find(name);
  if (!text) return std::nullopt;
  const std::optional<int> number = NumberIn(*text);
  if (number && *number >= least && *number <= most) return number;
  throw InvalidArgument("[{}] {} must be an integer from {} to {}, got {}",
                        operation_, name, least, most, Quote(*text));
}

int VariableReader::Number(const std::string& name, int least, int most) const {
  Text(name);
  return *FindNumber(name, least, most);
}

int VariableReader::Index(const std::string& name,
                          const std::string& name_of_all, int all) const {
  const int index = Number(name, 0, std::numeric_limits<int>::max());
  if (index < all) return index;
  throw InvalidArgument("[{}] {} must be below {} ({}), got {}", operation_,
                        name, name_of_all, all, index);
}

std::optional<int> NumberIn(std::string_view text) {
  // from_chars accepts a minus sign.
  if (text.empty() || text.front() == '-') return std::nullopt;
  int number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end) return std::nullopt;
  return number;
}

std::string Quote(std::string_view text) {
  constexpr size_t kLongest = 100;
  std::string shown(text.substr(0, kLongest));
  const auto is_control = [](unsigned char c) { return c < ' ' || c == 0x7f; };
  std::replace_if(shown.begin(), shown.end(), is_control, '?');
  return "'" + shown + (text.size() > kLongest ? "...'" : "'");
}

}  // namespace lockstep
