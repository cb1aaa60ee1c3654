// program.logged: the log of the running program.
#include <algorithm>
#include <string>
#include <vector>

#include "conformance/testees/reference/reference_testee.h"
#include "conformance/testees/reference/step_call.h"

namespace lockstep::conformance {

namespace {

bool IsIn(const std::vector<std::string>& lines, const std::string& text) {
  return std::ranges::any_of(lines, [&](const std::string& line) {
    return line.find(text) != std::string::npos;
  });
}

}  // namespace

void AddLogSteps(StepTable& table, const ProgramLog& log) {
  table.Add("program.logged", [log](const StepCall& call) -> Value {
    return IsIn((*log)->lines(), call.Text("text"));
  });
}

}  // namespace lockstep::conformance
