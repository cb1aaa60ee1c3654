// Steps that are about the program itself: repeat, try.
#include "conformance/testees/reference/step_call.h"
#include "conformance/testees/reference/step_table.h"

namespace lockstep::conformance {
namespace {

Value Repeat(const StepCall& call) {
  std::vector<Json> rounds;
  for (int64_t round = 0; round < call.Integer("times"); ++round) {
    call.RunRound(rounds, [&](Environment& inner) {
      if (call.Has("as")) inner.Bind(call.Text("as"), round);
    });
  }
  call.ObserveRounds(rounds);
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
