// The forms of names in files and messages, checked a character at a time: a
// std::regex would recurse once a character and exhaust the stack.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_TEXT_NAME_FORMS_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_TEXT_NAME_FORMS_H_

#include <string_view>

namespace lockstep {

// Lower snake case that begins with a letter: "batch_sizes".
bool IsName(std::string_view text);

// "<area>/<topic>/<claim>", each in lower snake case, also with a digit first.
bool IsCaseId(std::string_view text);

// The same, where any part may have a * in it: "input/rebatch/last_*".
bool IsCasePattern(std::string_view text);

// Whether a * in each of its places stands for some text without a slash (or
// none): "input/*/last_*" matches "input/rebatch/last_batch". Takes at most
// pattern times text steps, however many * there are.
bool PatternMatches(std::string_view pattern, std::string_view text);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_TEXT_NAME_FORMS_H_
