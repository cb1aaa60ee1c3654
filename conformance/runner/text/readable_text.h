// Makes output of testees safe to print on a terminal and in JSON.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_TEXT_READABLE_TEXT_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_TEXT_READABLE_TEXT_H_

#include <string>
#include <string_view>

namespace lockstep {

// `text` as UTF-8, with U+FFFD for invalid bytes. Characters that control a
// terminal are escaped, "\x1b" and "\u202e": control characters except line
// ends and tabs, and those that change the direction of text.
std::string ReadableText(std::string_view text);

// The same on one line, with "\n" for line ends. A longer text is cut after
// kMaxLineBytes bytes: "xxx... (16777093 bytes more)".
inline constexpr size_t kMaxLineBytes = 1000;
std::string ReadableLine(std::string_view text);

// The first bytes, with "..." if more follow.
std::string ReadableExcerpt(std::string_view text);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_TEXT_READABLE_TEXT_H_
