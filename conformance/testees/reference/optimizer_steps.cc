// optimizer.* and schedule.*: updates of variables by gradients.
#include "conformance/testees/reference/step_call.h"
#include "conformance/testees/reference/step_table.h"
#include "reference/optimizers/learning_rate_schedule.h"
#include "reference/optimizers/loss_scale_optimizer.h"
#include "reference/optimizers/update_rules.h"

namespace lockstep::conformance {
namespace {

using OptimizerPtr = std::shared_ptr<Optimizer>;

LearningRate GetRate(const StepCall& call) {
  if (call.Has("schedule")) return call.Get<SchedulePtr>("schedule");
  return call.Number("learning_rate", 0);
}

std::optional<double> FindNumber(const StepCall& call, const char* argument) {
  if (!call.Has(argument)) return std::nullopt;
  return call.Number(argument, 0);
}

OptimizerOptions GetOptions(const StepCall& call, const std::string& name) {
  const OptimizerOptions defaults;
  std::optional<int64_t> overwrites;
  if (call.Has("ema_overwrite_frequency")) {
    overwrites = call.Integer("ema_overwrite_frequency");
  }
  return {.name = name,
          .weight_decay = call.Number("weight_decay", 0),
          .clipnorm = FindNumber(call, "clipnorm"),
          .global_clipnorm = FindNumber(call, "global_clipnorm"),
          .clipvalue = FindNumber(call, "clipvalue"),
          .use_ema = call.Boolean("use_ema"),
          .ema_momentum = call.Number("ema_momentum", defaults.ema_momentum),
          .ema_overwrite_frequency = overwrites};
}

Value Create(const StepCall& call) {
  const LearningRate rate = GetRate(call);
  const std::string kind = call.Text("kind");
  const OptimizerOptions options = GetOptions(call, kind);
  if (kind == "sgd") {
    return OptimizerPtr(
        std::make_shared<Sgd>(SgdOptions{.learning_rate = rate,
                                         .momentum = call.Number("momentum", 0),
                                         .nesterov = call.Boolean("nesterov"),
                                         .options = options}));
  }
  if (kind == "adam") {
    const AdamOptions defaults;
    return OptimizerPtr(std::make_shared<Adam>(
        AdamOptions{.learning_rate = rate,
                    .beta_1 = call.Number("beta_1", defaults.beta_1),
                    .beta_2 = call.Number("beta_2", defaults.beta_2),
                    .epsilon = call.Number("epsilon", defaults.epsilon),
                    .options = options}));
  }
  if (kind == "rms_prop") {
    return OptimizerPtr(std::make_shared<RmsProp>(
        RmsPropOptions{.learning_rate = rate, .options = options}));
  }
  if (kind == "adagrad") {
    return OptimizerPtr(std::make_shared<Adagrad>(
        AdagradOptions{.learning_rate = rate, .options = options}));
  }
  throw ProgramError("unknown kind of optimizer: " + kind);
}

Value WithLossScale(const StepCall& call) {
  const LossScaleOptions defaults;
  return OptimizerPtr(std::make_shared<LossScaleOptimizer>(
      call.Get<OptimizerPtr>("of"),
      LossScaleOptions{
          .initial_scale = call.Number("initial_scale", defaults.initial_scale),
          .dynamic_growth_steps = call.Integer(
              "dynamic_growth_steps", defaults.dynamic_growth_steps)}));
}

std::shared_ptr<LossScaleOptimizer> GetScaling(const StepCall& call) {
  auto scaling = std::dynamic_pointer_cast<LossScaleOptimizer>(
      call.Get<OptimizerPtr>("of"));
  if (!scaling) throw ProgramError("the optimizer scales no loss");
  return scaling;
}

Value ScaleLoss(const StepCall& call) {
  return Structure(GetScaling(call)->ScaleLoss(call.GetTensor("loss")));
}

Value LossScale(const StepCall& call) {
  return Json(GetScaling(call)->loss_scale());
}

std::vector<VariablePtr> VariablesOf(const StepCall& call) {
  std::vector<VariablePtr> variables;
  for (const std::string name : call.Argument("variables")) {
    variables.push_back(StepCall::Held<VariablePtr>(
        call.environment().Find(name), "variables"));
  }
  return variables;
}

Value Build(const StepCall& call) {
  call.Get<OptimizerPtr>("of")->Build(VariablesOf(call));
  return Nothing();
}

Value ApplyGradients(const StepCall& call) {
  const Json& gradients = call.Argument("gradients");
  const std::vector<VariablePtr> variables = VariablesOf(call);
  if (gradients.size() != variables.size()) {
    throw ProgramError("gradients are not as many as variables");
  }
  std::vector<GradientAndVariable> pairs;
  for (size_t i = 0; i < variables.size(); ++i) {
    const Tensor gradient =
        call.ResolveTensor(gradients[i], variables[i]->dtype());
    pairs.emplace_back(
        gradient.defined() ? std::optional(gradient) : std::nullopt,
        variables[i]);
  }
  call.Get<OptimizerPtr>("of")->ApplyGradients(
      pairs, {.skip_gradients_aggregation = call.Boolean("skip_aggregation")});
  return Nothing();
}

Value FinalizeVariableValues(const StepCall& call) {
  call.Get<OptimizerPtr>("of")->FinalizeVariableValues(VariablesOf(call));
  return Nothing();
}

Value Iterations(const StepCall& call) {
  return call.Get<OptimizerPtr>("of")->iterations();
}

Value GetLearningRate(const StepCall& call) {
  return Json(call.Get<OptimizerPtr>("of")->learning_rate());
}

Value SetLearningRate(const StepCall& call) {
  call.Get<OptimizerPtr>("of")->SetLearningRate(call.Number("value", 0));
  return Nothing();
}

Value Slot(const StepCall& call) {
  return call.Get<OptimizerPtr>("of")->Slot(*call.Get<VariablePtr>("variable"),
                                            call.Text("slot"));
}

Value PiecewiseConstant(const StepCall& call) {
  return SchedulePtr(std::make_shared<PiecewiseConstantDecay>(
      call.Argument("boundaries").get<std::vector<int64_t>>(),
      call.Argument("values").get<std::vector<double>>()));
}

Value Exponential(const StepCall& call) {
  return SchedulePtr(std::make_shared<ExponentialDecay>(
      call.Number("initial_learning_rate", 0), call.Integer("decay_steps"),
      call.Number("decay_rate", 0), call.Boolean("staircase")));
}

}  // namespace

void AddOptimizerSteps(StepTable& table) {
  table.Add("optimizer.create", Create);
  table.Add("optimizer.build", Build);
  table.Add("optimizer.apply_gradients", ApplyGradients);
  table.Add("optimizer.finalize_variable_values", FinalizeVariableValues);
  table.Add("optimizer.iterations", Iterations);
  table.Add("optimizer.learning_rate", GetLearningRate);
  table.Add("optimizer.set_learning_rate", SetLearningRate);
  table.Add("optimizer.slot", Slot);
  table.Add("optimizer.with_loss_scale", WithLossScale);
  table.Add("optimizer.scale_loss", ScaleLoss);
  table.Add("optimizer.loss_scale", LossScale);
  table.Add("schedule.piecewise_constant", PiecewiseConstant);
  table.Add("schedule.exponential_decay", Exponential);
}

}  // namespace lockstep::conformance
