// What a testee said, fit for a terminal, a message and JSON.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_TEXT_READABLE_TEXT_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_TEXT_READABLE_TEXT_H_

#include <string>
#include <string_view>

namespace lockstep {

// `text` as UTF-8, where what is none of it is U+FFFD. Characters that a
// terminal would obey stand as text, "\x1b" and "\u202e": controls but for
// line ends and tabs, and those that turn the direction of writing.
std::string ReadableText(std::string_view text);

// On one line, a line end as "\n"; of a longer text the first kLongestLine
// characters and how many bytes follow: "xxx... (16777093 bytes more)".
inline constexpr size_t kLongestLine = 1000;
std::string ReadableLine(std::string_view text);

// Its first bytes with "..." where more follows: ReadableExcerpt of an endless
// line is "xxxxxxxx...".
std::string ReadableExcerpt(std::string_view text);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_TEXT_READABLE_TEXT_H_
