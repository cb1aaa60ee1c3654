// Checks the forms of names in files and messages. Does not use std::regex,
// which recurses for each character and would exhaust the stack.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_TEXT_NAME_FORMS_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_TEXT_NAME_FORMS_H_

#include <string_view>

namespace lockstep {

// Lower snake case that begins with a letter: "batch_sizes".
bool IsName(std::string_view text);

// "<area>/<topic>/<claim>", each in lower snake case; a part may begin with a
// digit.
bool IsCaseId(std::string_view text);

// The same, where any part may contain *: "input/rebatch/last_*".
bool IsCasePattern(std::string_view text);

// Whether `text` matches; * matches any text without a slash, also none:
// "input/*/last_*" matches "input/rebatch/last_batch". Takes at most
// pattern.size() * text.size() steps.
bool PatternMatches(std::string_view pattern, std::string_view text);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_TEXT_NAME_FORMS_H_
