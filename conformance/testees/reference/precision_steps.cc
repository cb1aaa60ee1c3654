// precision.*: policies that layers follow.
#include "conformance/testees/reference/step_call.h"
#include "conformance/testees/reference/step_table.h"
#include "reference/layers/dtype_policy.h"

namespace lockstep::conformance {
namespace {

Value Policy(const StepCall& call) {
  const DTypePolicy policy(call.Text("name"));
  return Json{{"name", policy.name()},
              {"compute_dtype", DTypeName(policy.compute_dtype())},
              {"variable_dtype", DTypeName(policy.variable_dtype())}};
}

Value SetPolicy(const StepCall& call) {
  SetDTypePolicy(DTypePolicy(call.Text("name")));
  return Nothing();
}

}  // namespace

void AddPrecisionSteps(StepTable& table) {
  table.Add("precision.policy", Policy);
  table.Add("precision.set_policy", SetPolicy);
}

}  // namespace lockstep::conformance
