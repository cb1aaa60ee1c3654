// Applies optimizers' rules where variables are kept, if that is not this
// process.
#ifndef LOCKSTEP_REFERENCE_OPTIMIZERS_RULE_HOME_H_
#define LOCKSTEP_REFERENCE_OPTIMIZERS_RULE_HOME_H_

#include <vector>

#include "reference/autodiff/variable.h"
#include "reference/base/naming/object_config.h"
#include "reference/tensor/tensor.h"

namespace lockstep {

class RuleHome : public VariableHome {
 public:
  struct Item {
    Variable* variable;
    std::vector<Variable*> slots = {};  // in the order of the rule's slot_kinds
    Tensor gradient;
    Tensor rows;  // if defined, the gradient is of these rows, in their order
  };

  struct Step {
    ObjectConfig rule;  // RuleOf (update_rules.h) makes the rule from it
    double weight_decay = 0;
    Variable* counter;     // of steps
    Tensor learning_rate;  // a float64 scalar
    Tensor taken;          // a bool scalar; undefined means true
    std::vector<Item> items = {};
  };

  // Applies the rule with the counter's value and adds 1 to the counter, or
  // what `taken` says. Errors: InvalidArgument for variables of another home.
  virtual void ApplyRule(const Step& step) = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_OPTIMIZERS_RULE_HOME_H_
