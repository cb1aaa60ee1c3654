// A function of a graph as a list of operations, sorted so that each comes after
// its inputs. Calls of other functions are inlined, and unused operations are
// removed.
#ifndef LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_PLAN_H_
#define LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_PLAN_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "reference/autodiff/variable.h"
#include "reference/export/saved_model/loading/operations/operation.h"
#include "reference/export/saved_model/loading/table.h"
#include "reference/export/saved_model/saved_model.pb.h"

namespace lockstep::export_internal {

// Values are numbered, beginning with the function's tensor arguments.
struct Plan {
  struct Step {
    Operation operation;
    std::vector<int> inputs;
    int output = 0;  // the first of its results, which are consecutive
    int num_outputs = 1;
    bool is_check = false;       // runs although nothing uses its result
    std::vector<int> last_used;  // values that no later step uses
  };
  int num_values = 0;
  std::map<int, Tensor> constants;  // by value
  std::map<int, size_t> variables;  // index of the variable, by value
  std::vector<Step> steps;
  std::vector<int> results;
};

// What an argument of a function is bound to: one of a variable (its index), a
// table, or a constant.
struct Captured {
  size_t variable = 0;
  TablePtr table = nullptr;
  Tensor constant = Tensor();
};

// Makes the plan of the function `name`, whose first `num_inputs` arguments are
// tensors and whose others are bound to `captured`.
// Errors: Unimplemented, with operation and node, for operations that are not
// supported, calls nested more than 64 deep, and more than a million nodes and
// edges after inlining; DataLoss if the graph is invalid; ResourceExhausted if all
// constants have more than `most_bytes`.
Plan MakePlan(const saved_model::FunctionDefLibrary& library,
              const std::string& name, size_t num_inputs,
              const std::vector<Captured>& captured, double most_bytes);

// Returns the results of the plan. `most_bytes` limits the size of computed values,
// and is checked before each is computed; inputs, constants and variables do not
// count. Errors: InvalidArgument, with the node; ResourceExhausted.
std::vector<Tensor> RunPlan(const Plan& plan, Tensors inputs,
                            const std::vector<VariablePtr>& variables,
                            double most_bytes);

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_PLAN_H_
