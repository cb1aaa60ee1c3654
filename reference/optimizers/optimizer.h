// What all optimizers share: the stages of a step, counting steps, the learning
// rate, and variables of state for each trained one.
//
//   Sgd optimizer({.learning_rate = 0.1});
//   optimizer.ApplyGradients({{gradient, v}});  // v -= 0.1 * sum of gradients
//   optimizer.iterations();                     // 1, on any number of replicas
//
// In replica context the gradients of all replicas are summed in one
// all-reduce; then every replica applies the same update to its own copies. The
// user divides the loss by the global batch size, so the sum is the gradient of
// the global mean.
//
// Checkpoints see the object as Keras 3's: `_iterations`, `_learning_rate`,
// `_variables`, `_trainable_variables` and a list for each kind of state.
//
// Steps are counted, and the rate is computed, where the variables lie: on a GPU
// a step waits for nothing, and is the same commands every time.
//
// It is made in the scope of the strategy it is used with.
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
#include "reference/kernels/optimizer/training_step.h"
#include "reference/optimizers/learning_rate_schedule.h"
#include "reference/optimizers/optimizer_step.h"
#include "reference/optimizers/weight_averages.h"

namespace lockstep {

// Changes to the gradients or variables that every optimizer offers. They see
// the sum over replicas, so that N replicas do what one would.
struct OptimizerOptions {
  std::string name;
  double weight_decay = 0;  // variable -= variable * decay * rate
  std::optional<double> clipnorm =
      std::nullopt;  // longest gradient of one variable
  std::optional<double> global_clipnorm =
      std::nullopt;  // longest gradient of all together
  std::optional<double> clipvalue = std::nullopt;  // largest element
  // Keeps an exponential moving average of each variable, average = momentum *
  // average + (1 - momentum) * variable, at first the variable after the first
  // step. After every so many steps variables become their averages.
  bool use_ema = false;
  double ema_momentum = 0.99;
  std::optional<int64_t> ema_overwrite_frequency = std::nullopt;
};

// What a step passes through, in this order, on every device alike. A stage
// that is empty is left out.
struct OptimizerPipeline {
  using Stage = std::function<void(OptimizerStep& step)>;

  Stage unscale;            // this replica's gradients
  Stage aggregate;          // makes them the sum over all replicas
  Stage decide;             // by the sums, whether the step is taken
  Stage clip;               // the sums
  Stage rule;               // changes the variables and their state
  Stage average;            // follows the variables
  Stage update_loss_scale;  // by whether the step was taken
};

struct ApplyOptions {
  // The gradients are taken as they are: the caller has summed them
  // (ReplicaContext::AllReduce, SumRows).
  bool skip_gradients_aggregation = false;
  // Called once the gradients are sums.
  std::function<void()> when_summed = nullptr;
};

class Optimizer : public Trackable {
 public:
  // A variable with its gradient and, in the order of its kinds, its state:
  // this replica's copies, to be updated in place during the call.
  struct Item {
    Tensor* variable;
    const Tensor* gradient;
    std::span<Tensor* const> slots;
  };

  // A kind of state, e.g. {"momentum", "_momentums", 0.0}.
  struct SlotKind {
    std::string name;            // in the state variable's name
    std::string list_name;       // of the list in checkpoints
    double initial_value = 0.0;  // of every element
  };

  // How an optimizer updates variables, wherever they lie.
  struct Rule {
    std::string name;  // leads messages of errors
    std::vector<SlotKind> slot_kinds;
    // All items at once. REQUIRES: nothing but items and step change what it
    // does.
    std::function<void(std::span<const Item> items,
                       const kernels::TrainingStep& step)>
        update;
    // Its class and its own settings, as Keras names them.
    ObjectConfig config = {};
    // Where a gradient is 0, nothing changes.
    bool zero_gradient_is_noop = false;
  };

  ~Optimizer() override;

  // One step. Pairs without a gradient are left out. A gradient of rows does
  // what the tensor that it stands for would, as in Keras 3: Sgd without
  // momentum and Adagrad touch these rows alone; with others, whose state
  // changes without a gradient too, only what replicas send each other is less.
  // Errors: InvalidArgument when no pair has a gradient, for a gradient of
  // another type or shape than its variable, and for a variable that was not
  // in the first step; FailedPrecondition in cross-replica context, and when
  // several replicas would share the optimizer's or a trained variable's only
  // copy because it was made outside the strategy's scope.
  void ApplyGradients(const std::vector<GradientAndVariable>& pairs,
                      const ApplyOptions& options = {});

  // Called with each step, on every replica: its gradients, summed over the
  // replicas and without a loss scale, before they are clipped, and whether it
  // is taken. Replaces the one that was set before. REQUIRES: it may be called
  // on all replicas at once, and outlives the optimizer or is replaced.
  using StepWatch = std::function<void(const OptimizerStep& step)>;
  void WatchSteps(StepWatch watch) { watch_ = std::move(watch); }

  // What to differentiate in the loss's place, loss * loss_scale().
  virtual Tensor ScaleLoss(const Tensor& loss) const { return loss; }
  // 1, but for a LossScaleOptimizer; waits for a GPU.
  virtual double loss_scale() const { return 1; }
  // The one whose rule this one applies; nullptr where that is its own.
  virtual const Optimizer* inner_optimizer() const { return nullptr; }

  // The stages that ApplyGradients runs; for optimizers that put stages of their
  // own around another one's. REQUIRES: this lives as long as the stages do.
  virtual OptimizerPipeline Stages();

  // Makes the state of these variables, in the scope of their strategy; the
  // first step does it by itself. No effect when it is there. Errors:
  // FailedPrecondition for an optimizer made outside the strategy's scope.
  void Build(const std::vector<VariablePtr>& variables);

  // What training leaves these variables at: with use_ema they become their
  // averages, once there was a step. Model::Fit does it at its end. REQUIRES:
  // cross-replica context.
  // Errors: InvalidArgument for a variable that was not in the first step.
  virtual void FinalizeVariableValues(
      const std::vector<VariablePtr>& variables) const;

  // Steps taken. This and learning_rate() wait for a GPU.
  virtual int64_t iterations() const;
  // The rate of the next step.
  virtual double learning_rate() const;
  // Errors: FailedPrecondition with a schedule.
  virtual void SetLearningRate(double learning_rate);

  // The state of one kind ("momentum", "velocity", "average", ...) for a
  // variable.
  // Errors: NotFound for another kind and for a variable not trained yet.
  virtual VariablePtr Slot(const Variable& variable,
                           std::string_view kind) const;

  // How to make one like it, with the rate that it has now. Errors:
  // Unimplemented for a class or a schedule of one's own.
  virtual ObjectConfig Config() const;

  // Iterations, learning rate, averages, then the state, variable by variable.
  virtual std::vector<VariablePtr> variables() const;

 protected:
  // `rule` may be empty where Stages has another one's.
  Optimizer(LearningRate learning_rate, OptimizerOptions options, Rule rule);

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
  // A variable beside this one, in a list of checkpoints.
  VariablePtr AddState(const Variable& variable, const SlotKind& kind,
                       Trackable& list);
  Trained& Find(const VariablePtr& variable);
  void Clip(std::vector<Tensor>& gradients) const;
  void ApplyRule(const OptimizerStep& step);
  // The rate of the next step, a float64 scalar where the counter lies.
  Tensor Rate() const;
  // What a step updates: the counter of steps, then each variable and its
  // state.
  std::vector<Variable*> UpdatedVariables(
      const std::vector<VariablePtr>& variables);
  // Of what follows the counter.
  std::vector<Item> ItemsOf(std::span<Tensor* const> values,
                            std::span<const Tensor> gradients) const;
  void UpdateItems(Tensor& counter, std::span<const Item> items,
                   std::span<const Tensor> rows,
                   const kernels::TrainingStep& step) const;
  // The rule for an item whose gradient is of these rows.
  void UpdateRows(const Item& item, const Tensor& rows,
                  const kernels::TrainingStep& step) const;

  OptimizerOptions options_;
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
