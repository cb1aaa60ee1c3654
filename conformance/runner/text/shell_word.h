// Text for a command that a person pastes into a shell.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_TEXT_SHELL_WORD_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_TEXT_SHELL_WORD_H_

#include <string>

namespace lockstep {

// One word for a shell, in quotes where it would take the text apart.
std::string ShellWord(const std::string& text);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_TEXT_SHELL_WORD_H_
