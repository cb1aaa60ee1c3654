// The optimizers, which update variables as Keras does.
//
//   Sgd optimizer({.learning_rate = 0.1, .momentum = 0.9});
//   Adam adam;                                   // rate 0.001
//   Adam faster({.learning_rate = 0.01});
//   AdamW decaying;                              // weight decay 0.004
//
// kernels/optimizer/optimizer_update.h has the formulas that are not here.
#ifndef LOCKSTEP_REFERENCE_OPTIMIZERS_UPDATE_RULES_H_
#define LOCKSTEP_REFERENCE_OPTIMIZERS_UPDATE_RULES_H_

#include "reference/optimizers/optimizer.h"

namespace lockstep {

// Gradient descent, with momentum and Nesterov's variant.
struct SgdOptions {
  LearningRate learning_rate = 0.01;
  double momentum = 0.0;
  bool nesterov = false;
  OptimizerOptions options = {.name = "SGD"};
};

class Sgd : public Optimizer {
 public:
  // Errors: InvalidArgument for momentum outside [0, 1].
  explicit Sgd(const SgdOptions& config = {});
};

// Adagrad:
//
//   accumulator += gradient^2                  (0.1 at first)
//   variable -= learning_rate * gradient / sqrt(accumulator + epsilon)
struct AdagradOptions {
  LearningRate learning_rate = 0.001;
  double initial_accumulator_value = 0.1;
  double epsilon = 1e-7;
  OptimizerOptions options = {.name = "adagrad"};
};

class Adagrad : public Optimizer {
 public:
  explicit Adagrad(const AdagradOptions& config = {});
};

// RMSprop:
//
//   velocity = rho * velocity + (1 - rho) * gradient^2
//   variable -= learning_rate * gradient / sqrt(velocity + epsilon)
struct RmsPropOptions {
  LearningRate learning_rate = 0.001;
  double rho = 0.9;
  double epsilon = 1e-7;
  OptimizerOptions options = {.name = "rmsprop"};
};

class RmsProp : public Optimizer {
 public:
  explicit RmsProp(const RmsPropOptions& config = {});
};

// Adam (Kingma and Ba, arXiv 1412.6980).
struct AdamOptions {
  LearningRate learning_rate = 0.001;
  double beta_1 = 0.9;
  double beta_2 = 0.999;
  double epsilon = 1e-7;
  OptimizerOptions options = {.name = "adam"};
};

class Adam : public Optimizer {
 public:
  // Errors: InvalidArgument for a beta outside [0, 1).
  explicit Adam(const AdamOptions& config = {});
};

// Adam with weight decay (Loshchilov and Hutter, arXiv 1711.05101): before each
// step every variable is reduced by `weight_decay` times the learning rate
// times itself, whatever its gradient is.
struct AdamWOptions {
  LearningRate learning_rate = 0.001;
  double beta_1 = 0.9;
  double beta_2 = 0.999;
  double epsilon = 1e-7;
  OptimizerOptions options = {.name = "adamw", .weight_decay = 0.004};
};

class AdamW : public Optimizer {
 public:
  // Errors: InvalidArgument for a beta outside [0, 1).
  explicit AdamW(const AdamWOptions& config = {});
};

// The rule of one of these, from its Rule::config.
//
//   RuleOf({"SGD", {{"momentum", 0.9}, {"nesterov", false}}}).slot_kinds.size();
//   // 1
//
// Settings that are absent have their defaults, others are ignored. Errors:
// Unimplemented for another class; InvalidArgument for a setting of another type
// or out of its range.
Optimizer::Rule RuleOf(const ObjectConfig& config);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_OPTIMIZERS_UPDATE_RULES_H_
