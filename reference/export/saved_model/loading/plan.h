// What a function of a graph computes, as a list of operations in an order in
// which each has its inputs: functions that are called are written out, what
// nothing needs is left out.
#ifndef LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_PLAN_H_
#define LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_PLAN_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "reference/autodiff/variable.h"
#include "reference/export/saved_model/loading/operation.h"
#include "reference/export/saved_model/saved_model.pb.h"

namespace lockstep::export_internal {

// Values have numbers; those of the function's tensors come first.
struct Plan {
  struct Step {
    Operation operation;
    std::vector<int> inputs;
    int output;
    std::vector<int> last_used;  // values that no later step needs
  };
  int num_values = 0;
  std::map<int, Tensor> constants;  // by value
  std::map<int, size_t> variables;  // which one is read, by value
  std::vector<Step> steps;
  std::vector<int> results;
};

// The plan of the function `name`, whose first `num_inputs` arguments are
// tensors and whose others are `num_variables` variables.
// Errors: Unimplemented, with operation and node, for all that is not offered,
// more than 64 functions within each other, and more than a million nodes and
// edges when all are written out; DataLoss for a graph that is none;
// ResourceExhausted for constants of more than `most_bytes` together.
Plan MakePlan(const saved_model::FunctionDefLibrary& library,
              const std::string& name, size_t num_inputs, size_t num_variables,
              double most_bytes);

// Results of the plan. Inputs and results are not counted in `most_bytes`, and
// neither are constants and variables; what is computed between them is, before
// it is. Errors: InvalidArgument, with the node; ResourceExhausted.
std::vector<Tensor> RunPlan(const Plan& plan, Tensors inputs,
                            const std::vector<VariablePtr>& variables,
                            double most_bytes);

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_PLAN_H_
