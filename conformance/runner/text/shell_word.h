// Quotes text for shell commands.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_TEXT_SHELL_WORD_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_TEXT_SHELL_WORD_H_

#include <string>

namespace lockstep {

// The text as one word of a shell command, in quotes if necessary.
std::string ShellWord(const std::string& text);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_TEXT_SHELL_WORD_H_
