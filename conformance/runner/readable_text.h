// What a testee said, fit for a message and for JSON.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_READABLE_TEXT_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_READABLE_TEXT_H_

#include <string>
#include <string_view>

namespace lockstep {

// `text` as UTF-8: what is none of it is U+FFFD.
std::string ReadableText(std::string_view text);

// Its first bytes with "..." where more follows: ReadableExcerpt of an endless
// line is "xxxxxxxx...".
std::string ReadableExcerpt(std::string_view text);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_READABLE_TEXT_H_
