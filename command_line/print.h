// Prints on stdout, as fmt::print does, but lets the work go on where stdout is
// full or closed: results are worth more than what is said of them. RunProgram
// makes that an error at the end.
#ifndef LOCKSTEP_COMMAND_LINE_PRINT_H_
#define LOCKSTEP_COMMAND_LINE_PRINT_H_

#include <fmt/format.h>

#include <cstdio>
#include <utility>

namespace lockstep {

template <typename... Args>
void Print(fmt::format_string<Args...> format, Args&&... args) {
  std::fputs(fmt::format(format, std::forward<Args>(args)...).c_str(), stdout);
}

}  // namespace lockstep

#endif  // LOCKSTEP_COMMAND_LINE_PRINT_H_
