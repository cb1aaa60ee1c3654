// Steps that are about the program itself: repeat, try.
#include <fmt/format.h>

#include "conformance/runner/program_limits.h"
#include "conformance/testees/reference/step_call.h"
#include "conformance/testees/reference/step_table.h"

namespace lockstep::conformance {
namespace {

Value Repeat(const StepCall& call) {
  const int64_t times = call.Integer("times");
  if (times < 0 || times > kMostRounds) {
    throw ProgramError(fmt::format("program.repeat runs 0 to {} times, got {}",
                                   kMostRounds, times));
  }
  Rounds rounds(call);
  for (int64_t round = 0; round < times; ++round) {
    rounds.Run([&](Environment& inner) {
      if (call.Has("as")) inner.Bind(call.Text("as"), round);
    });
  }
  rounds.Observe();
  return Nothing();
}

Value Try(const StepCall& call) {
  try {
    call.RunBlockHere();
  } catch (const Error& error) {
    return std::string(CodeName(error.code()));
  }
  return Nothing();
}

}  // namespace

void AddProgramSteps(StepTable& table) {
  table.Add("program.repeat", Repeat);
  table.Add("program.try", Try);
}

}  // namespace lockstep::conformance
