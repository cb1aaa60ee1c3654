// Base class of optimizers: the stages of a step, the count of steps, the
// learning rate, and state variables for each trained variable.
//
//   Sgd optimizer({.learning_rate = 0.1});
//   optimizer.ApplyGradients({{gradient, v}});  // v -= 0.1 * sum of gradients
//   optimizer.iterations();                     // 1, on any number of replicas
//
// In replica context the gradients of all replicas are summed in one
// all-reduce; then every replica applies the same update to its own copies. The
// program divides the loss by the global batch size, so the sum is the gradient
// of the global mean.
//
// In checkpoints the object looks like Keras 3's: `_iterations`,
// `_learning_rate`, `_variables`, `_trainable_variables` and a list for each
// kind of state.
//
// Steps are counted, and the rate is computed, on the device of the variables:
// on a GPU a step waits for nothing and enqueues the same commands every time.
//
// An optimizer must be made in the scope of the strategy that uses it.
#ifndef LOCKSTEP_REFERENCE_OPTIMIZERS_OPTIMIZER_H_
#define LOCKSTEP_REFERENCE_OPTIMIZERS_OPTIMIZER_H_

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/autodiff/variable.h"
#include "reference/base/naming/object_config.h"
#include "reference/kernels/optimizer/optimizer_update.h"
#include "reference/optimizers/learning_rate_schedule.h"
#include "reference/optimizers/optimizer_step.h"
#include "reference/optimizers/weight_averages.h"
#include "reference/optimizers/weight_decay_exclusions.h"

namespace lockstep {

// Options of every optimizer. They apply to the sum over replicas, so that N
// replicas compute what one would.
struct OptimizerOptions {
  std::string name;
  double weight_decay = 0;  // variable -= variable * decay * rate
  std::optional<double> clipnorm =
      std::nullopt;  // maximum norm of one variable's gradient
  std::optional<double> global_clipnorm =
      std::nullopt;  // maximum norm of all gradients together
  std::optional<double> clipvalue =
      std::nullopt;  // maximum absolute value of an element
  // Keeps an exponential moving average of each variable, average = momentum *
  // average + (1 - momentum) * variable, initially the variable after the first
  // step. Every ema_overwrite_frequency steps variables become their averages.
  bool use_ema = false;
  double ema_momentum = 0.99;
  std::optional<int64_t> ema_overwrite_frequency = std::nullopt;
};

// The stages of a step in order, on every device. Empty stages are skipped.
struct OptimizerPipeline {
  using Stage = std::function<void(OptimizerStep& step)>;

  Stage unscale;            // this replica's gradients
  Stage aggregate;          // sums them over all replicas
  Stage decide;             // from the sums, whether the step is taken
  Stage clip;               // the sums
  Stage rule;               // updates the variables and their state
  Stage average;            // updates moving averages
  Stage update_loss_scale;  // depending on whether the step was taken
};

struct ApplyOptions {
  // The caller has summed the gradients (ReplicaContext::AllReduce, SumRows).
  bool skip_gradients_aggregation = false;
  // Called once the gradients are sums.
  std::function<void()> when_summed = nullptr;
};

class Optimizer : public Trackable {
 public:
  // A variable with its gradient and its state, in the order of slot_kinds:
  // this replica's copies, to be updated in place during the call.
  struct Item {
    Tensor* variable;
    const Tensor* gradient;
    std::span<Tensor* const> slots;
    bool decays = true;  // whether weight decay applies to it
  };

  // A kind of state, e.g. {"momentum", "_momentums", 0.0}.
  struct SlotKind {
    std::string name;            // in the state variable's name
    std::string list_name;       // of the list in checkpoints
    double initial_value = 0.0;  // of every element
  };

  // How an optimizer updates variables, on any device.
  struct Rule {
    std::string name;  // leads error messages
    std::vector<SlotKind> slot_kinds;
    // Updates all items. REQUIRES: depends only on `items` and `step`.
    std::function<void(std::span<const Item> items,
                       const kernels::StepScalars& step)>
        update;
    // Its class and settings, with Keras' names.
    ObjectConfig config = {};
    // Whether a gradient of 0 changes nothing.
    bool zero_gradient_is_noop = false;
  };

  ~Optimizer() override;

  // Takes one step. Skips pairs without a gradient. A gradient of rows has the
  // same effect as the dense gradient, as in Keras 3. Sgd without momentum and
  // Adagrad update only these rows; for others, whose state changes even
  // without a gradient, only the communication is smaller. Errors:
  // InvalidArgument if no pair has a gradient, for a gradient of another type
  // or shape than its variable, and for a variable that was not in the first
  // step; FailedPrecondition in cross-replica context, and if several replicas
  // would share the only copy of the optimizer or of a trained variable because
  // it was made outside the strategy's scope.
  void ApplyGradients(const std::vector<GradientAndVariable>& pairs,
                      const ApplyOptions& options = {});

  // Replaces earlier exclusions. Files do not store them, as in Keras. Errors:
  // FailedPrecondition after Build or the first step. Where parameter servers
  // keep the variables, steps are then Unimplemented.
  virtual void ExcludeFromWeightDecay(WeightDecayExclusions exclusions);

  // Called for each step on every replica, with its gradients, summed over the
  // replicas and without a loss scale, before they are clipped, and with
  // whether it is taken. Replaces the previous one. REQUIRES: thread-safe, and
  // outlives the optimizer or is replaced.
  using StepWatch = std::function<void(const OptimizerStep& step)>;
  void WatchSteps(StepWatch watch) { watch_ = std::move(watch); }

  // loss * loss_scale(), to be differentiated instead of the loss.
  virtual Tensor ScaleLoss(const Tensor& loss) const { return loss; }
  // 1, except for a LossScaleOptimizer. Waits for a GPU.
  virtual double loss_scale() const { return 1; }
  // The optimizer whose rule this one applies; nullptr if it applies its own.
  virtual const Optimizer* inner_optimizer() const { return nullptr; }

  // The stages that ApplyGradients runs, for optimizers that extend the stages
  // of another one. REQUIRES: `this` outlives the stages.
  virtual OptimizerPipeline Stages();

  // Makes the state of these variables, in the scope of their strategy. The
  // first step calls it. No effect if the state exists. Errors:
  // FailedPrecondition for an optimizer made outside the strategy's scope, or
  // inside Run by each of several replicas.
  void Build(const std::vector<VariablePtr>& variables);

  // Sets the final values of these variables: with use_ema, after at least one
  // step, they become their averages. Model::Fit calls it at its end. REQUIRES:
  // cross-replica context.
  // Errors: InvalidArgument for a variable that was not in the first step.
  virtual void FinalizeVariableValues(
      const std::vector<VariablePtr>& variables) const;

  // Number of steps taken. This and learning_rate() wait for a GPU.
  virtual int64_t iterations() const;
  // The rate of the next step.
  virtual double learning_rate() const;
  // Errors: FailedPrecondition with a schedule; InvalidArgument for a rate below
  // 0 or NaN.
  virtual void SetLearningRate(double learning_rate);

  // The state of one kind ("momentum", "velocity", "average", ...) for a
  // variable.
  // Errors: NotFound for another kind and for an untrained variable.
  virtual VariablePtr Slot(const Variable& variable,
                           std::string_view kind) const;

  // The configuration of the optimizer, with its current rate. Errors:
  // Unimplemented for a custom optimizer or schedule that does not override it.
  virtual ObjectConfig Config() const;

  // Iterations, learning rate, averages, then the state, variable by variable.
  virtual std::vector<VariablePtr> variables() const;

 protected:
  // `rule` may be empty if Stages uses the rule of another optimizer. Errors:
  // InvalidArgument for a learning rate below 0 or NaN.
  Optimizer(const LearningRate& learning_rate, OptimizerOptions options,
            Rule rule);

  // Makes the state of these variables, in cross-replica context.
  virtual void MakeSlots(const std::vector<VariablePtr>& variables);
  // A counter under this name, with a copy per replica that is updated in
  // place.
  VariablePtr AddCounter(const std::string& name,
                         const std::string& checkpoint_name,
                         const Tensor& initial_value);

 private:
  struct Trained {
    VariablePtr variable;
    std::vector<VariablePtr> slots;
  };

  void Track(Trackable& list, const VariablePtr& variable);
  // A state variable for this variable, in a list for checkpoints.
  VariablePtr AddState(const Variable& variable, const SlotKind& kind,
                       Trackable& list);
  Trained& Find(const VariablePtr& variable);
  void Clip(std::vector<Tensor>& gradients) const;
  void ApplyRule(const OptimizerStep& step);
  // The same for variables whose values are not in this process. Errors:
  // Unimplemented for a rule without a config.
  void ApplyRuleAtHome(const OptimizerStep& step);
  // The rate of the next step, a float64 scalar on the counter's device.
  Tensor Rate() const;
  // The variables that a step updates: the counter of steps, then each variable
  // and its state.
  std::vector<Variable*> UpdatedVariables(
      const std::vector<VariablePtr>& variables);
  // The items in the values after the counter.
  std::vector<Item> ItemsOf(std::span<Tensor* const> values,
                            std::span<const Tensor> gradients,
                            const std::vector<bool>& decays) const;
  OptimizerOptions options_;
  WeightDecayExclusions exclusions_;
  Rule rule_;
  StepWatch watch_;
  std::shared_ptr<const LearningRateSchedule> schedule_;
  VariablePtr iterations_;
  VariablePtr learning_rate_;  // without a schedule
  std::vector<Trained> trained_;
  std::optional<WeightAverages> averages_;
  bool built_ = false;
  // Lists in checkpoints.
  Trackable variables_list_;
  Trackable trainable_list_;
  Trackable trainable_indices_;  // an empty dictionary that Keras tracks too
  Trackable average_list_;
  std::vector<std::unique_ptr<Trackable>> slot_lists_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_OPTIMIZERS_OPTIMIZER_H_
