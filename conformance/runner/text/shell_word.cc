#include "conformance/runner/text/shell_word.h"

#include <string_view>

namespace lockstep {

std::string ShellWord(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=:,+-";
  const bool is_plain =
      !text.empty() && text.find_first_not_of(kPlain) == std::string::npos;
  if (is_plain) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? R"('\'')" : std::string{c};
  return quoted + "'";
}

}  // namespace lockstep
