#include "reference/optimizers/optimizer.h"

#include <algorithm>

#include "reference/autodiff/distribution_context.h"
#include "reference/autodiff/variable.h"
#include "reference/base/error.h"
#include "reference/base/trace.h"
#include "reference/kernels/elementwise/in_place.h"
#include "reference/kernels/optimizer/clip_gradients.h"
#include "reference/kernels/optimizer/optimizer_update.h"
#include "reference/optimizers/rule_home.h"
#include "reference/optimizers/update_items.h"

namespace lockstep {

using optimizers_internal::CheckHasCopies;
using optimizers_internal::LeaveOutMissing;
using optimizers_internal::MergeRows;
using optimizers_internal::StepOf;
using optimizers_internal::SumOverReplicas;
using optimizers_internal::UpdateItems;
using optimizers_internal::VariablesOf;

namespace {

constexpr char kAverage[] = "average";

// "dense/kernel" as part of a name: "dense_kernel".
std::string Flat(std::string name) {
  std::ranges::replace(name, '/', '_');
  return name;
}

// As PyTorch; Keras takes any number.
void CheckRate(double rate) {
  if (rate >= 0) return;
  throw InvalidArgument("[Optimizer] learning_rate must be at least 0, got {}",
                        rate);
}

// What is added to a counter of steps.
Tensor StepsIn(const Tensor& taken, const Tensor& counter) {
  return taken.defined() ? taken.Cast(DType::kInt64)
                         : Tensor::Scalar<int64_t>(1, counter.device());
}

Tensor Filled(const Variable& like, double value) {
  return Tensor::Full(like.shape(), value, Device::Current())
      .Cast(like.dtype());
}

}  // namespace

Optimizer::~Optimizer() = default;

Optimizer::Optimizer(const LearningRate& learning_rate,
                     OptimizerOptions options, Rule rule)
    : options_(std::move(options)), rule_(std::move(rule)) {
  TrackChild("_variables", variables_list_);
  TrackChild("_trainable_variables", trainable_list_);
  TrackChild("_trainable_variables_indices", trainable_indices_);
  iterations_ =
      AddCounter("iteration", "_iterations", Tensor::Scalar<int64_t>(0));
  schedule_ = learning_rate.schedule();
  if (schedule_ == nullptr) {
    CheckRate(learning_rate.number());
    learning_rate_ =
        AddCounter("learning_rate", "_learning_rate",
                   Tensor::Scalar(static_cast<float>(learning_rate.number())));
  }
  if (options_.use_ema) {
    averages_.emplace(kernels::AverageOptions{
        .momentum = options_.ema_momentum,
        .overwrite_frequency = options_.ema_overwrite_frequency.value_or(0)});
    TrackChild("_model_variables_moving_average", average_list_);
  }
  for (const SlotKind& kind : rule_.slot_kinds) {
    slot_lists_.push_back(std::make_unique<Trackable>());
    TrackChild(kind.list_name, *slot_lists_.back());
  }
}

void Optimizer::Track(Trackable& list, const VariablePtr& variable) {
  list.TrackChild(std::to_string(list.children().size()), *variable);
}

VariablePtr Optimizer::AddCounter(const std::string& name,
                                  const std::string& checkpoint_name,
                                  const Tensor& initial_value) {
  VariablePtr counter = MakeVariable(
      {.initial_value = [initial_value] { return initial_value.Clone(); },
       .name = options_.name + "/" + name,
       .trainable = false,
       .aggregation = VariableAggregation::kOnlyFirstReplica});
  TrackChild(checkpoint_name, *counter);
  Track(variables_list_, counter);
  return counter;
}

void Optimizer::Build(const std::vector<VariablePtr>& variables) {
  CheckHasCopies(*iterations_);
  // built_ changes only while all replicas wait in the merge call.
  if (built_) return;
  DistributionContext::Current().MergeCall([&] {
    if (!built_) MakeSlots(variables);
  });
  // The call ran once for all replicas. If each has an optimizer of its own, it
  // built another one.
  if (built_) return;
  throw FailedPrecondition(
      "[ApplyGradients] '{}' is not the optimizer that the other replicas use: "
      "one made inside Run is another one on each replica; make it before, in "
      "the strategy's scope",
      options_.name);
}

VariablePtr Optimizer::AddState(const Variable& variable, const SlotKind& kind,
                                Trackable& list) {
  VariablePtr state = MakeVariable(
      {.initial_value = [&] { return Filled(variable, kind.initial_value); },
       .name = options_.name + "/" + Flat(variable.name()) + "_" + kind.name,
       .trainable = false,
       .beside = &variable});
  Track(variables_list_, state);
  Track(list, state);
  return state;
}

void Optimizer::MakeSlots(const std::vector<VariablePtr>& variables) {
  if (averages_) {
    for (const VariablePtr& variable : variables) {
      averages_->Add(variable,
                     AddState(*variable, {kAverage, ""}, average_list_));
    }
  }
  for (const VariablePtr& variable : variables) {
    Trained trained{variable, {}};
    for (size_t i = 0; i < rule_.slot_kinds.size(); ++i) {
      trained.slots.push_back(
          AddState(*variable, rule_.slot_kinds[i], *slot_lists_[i]));
    }
    Track(trainable_list_, variable);
    trained_.push_back(std::move(trained));
  }
  built_ = true;
}

void Optimizer::ExcludeFromWeightDecay(WeightDecayExclusions exclusions) {
  if (built_) {
    throw FailedPrecondition(
        "[ExcludeFromWeightDecay] '{}' has made its state already: exclude "
        "variables before Build and the first step",
        options_.name);
  }
  exclusions_ = std::move(exclusions);
}

Optimizer::Trained& Optimizer::Find(const VariablePtr& variable) {
  const auto found = std::ranges::find(trained_, variable, &Trained::variable);
  if (found == trained_.end()) {
    throw InvalidArgument(
        "[ApplyGradients] variable '{}' was not among the {} of the first step",
        variable->name(), trained_.size());
  }
  return *found;
}

void Optimizer::ApplyGradients(const std::vector<GradientAndVariable>& pairs,
                               const ApplyOptions& options) {
  if (DistributionContext::Current().in_cross_replica_context()) {
    throw FailedPrecondition(
        "[ApplyGradients] requires replica context: call it inside Run");
  }
  CheckHasCopies(*iterations_);
  OptimizerStep step = StepOf(pairs);
  if (!built_) Build(VariablesOf(pairs));
  OptimizerPipeline stages = Stages();
  if (options.skip_gradients_aggregation) stages.aggregate = MergeRows;
  const OptimizerPipeline::Stage summed = [&options](OptimizerStep&) {
    if (options.when_summed) options.when_summed();
  };
  const OptimizerPipeline::Stage leave_out = LeaveOutMissing;
  const OptimizerPipeline::Stage watch = [this](OptimizerStep& decided) {
    if (watch_) watch_(decided);
  };
  const OptimizerPipeline::Stage* const in_order[] = {
      &stages.unscale, &stages.aggregate,
      &summed,         &leave_out,
      &stages.decide,  &watch,
      &stages.clip,    &stages.rule,
      &stages.average, &stages.update_loss_scale};
  for (const OptimizerPipeline::Stage* stage : in_order) {
    if (*stage) (*stage)(step);
  }
}

OptimizerPipeline Optimizer::Stages() {
  OptimizerPipeline stages;
  stages.aggregate = SumOverReplicas;
  if (options_.clipnorm || options_.global_clipnorm || options_.clipvalue) {
    stages.clip = [this](OptimizerStep& step) { Clip(step.gradients); };
  }
  stages.rule = [this](OptimizerStep& step) { ApplyRule(step); };
  if (averages_) {
    stages.average = [this](OptimizerStep& step) {
      averages_->Update(*iterations_, step.taken);
    };
  }
  return stages;
}

void Optimizer::Clip(std::vector<Tensor>& gradients) const {
  const TraceSpan span(options_.name, "optimizer");
  if (options_.clipnorm) kernels::ClipByNorm(gradients, *options_.clipnorm);
  if (options_.global_clipnorm) {
    kernels::ClipByGlobalNorm(gradients, *options_.global_clipnorm);
  }
  if (options_.clipvalue) {
    kernels::ClipByValue(gradients, *options_.clipvalue);
  }
}

std::vector<Variable*> Optimizer::UpdatedVariables(
    const std::vector<VariablePtr>& variables) {
  std::vector<Variable*> changed = {iterations_.get()};
  changed.reserve(1 + variables.size() * (1 + rule_.slot_kinds.size()));
  for (const VariablePtr& variable : variables) {
    changed.push_back(variable.get());
    for (const VariablePtr& slot : Find(variable).slots) {
      changed.push_back(slot.get());
    }
  }
  return changed;
}

std::vector<Optimizer::Item> Optimizer::ItemsOf(
    std::span<Tensor* const> values, std::span<const Tensor> gradients,
    const std::vector<bool>& decays) const {
  std::vector<Item> items;
  items.reserve(gradients.size());
  const size_t slots = rule_.slot_kinds.size();
  for (const Tensor& gradient : gradients) {
    items.push_back({values[0], &gradient, values.subspan(1, slots),
                     decays.empty() || decays[items.size()]});
    values = values.subspan(1 + slots);
  }
  return items;
}

// The inputs of the update are the rate, whether the step is taken, the
// gradients, and their rows.
void Optimizer::ApplyRule(const OptimizerStep& step) {
  const TraceSpan span(options_.name, "optimizer");
  if (iterations_->home() != nullptr) return ApplyRuleAtHome(step);
  std::vector<Tensor> inputs = {Rate(), step.taken};
  inputs.insert(inputs.end(), step.gradients.begin(), step.gradients.end());
  inputs.insert(inputs.end(), step.rows.begin(), step.rows.end());
  UpdateTogether(
      rule_.name, UpdatedVariables(step.variables), inputs,
      [this, decays = exclusions_.DecaysOf(step.variables)](
          std::span<Tensor* const> values, std::span<const Tensor> inputs) {
        const size_t count = (inputs.size() - 2) / 2;
        const kernels::StepScalars scalars{.learning_rate = inputs[0],
                                           .iterations = *values[0],
                                           .taken = inputs[1]};
        UpdateItems(
            rule_, options_.weight_decay,
            ItemsOf(values.subspan(1), inputs.subspan(2, count), decays),
            inputs.subspan(2 + count), scalars);
        kernels::AddInPlace(*values[0], StepsIn(inputs[1], *values[0]));
      });
}

void Optimizer::ApplyRuleAtHome(const OptimizerStep& step) {
  auto* home = dynamic_cast<RuleHome*>(iterations_->home());
  if (home == nullptr || rule_.config.class_name.empty()) {
    throw Unimplemented(
        "[ApplyGradients] '{}' has a rule of the program's own, which cannot "
        "be applied in the process that keeps the variables",
        options_.name);
  }
  if (!exclusions_.empty()) {
    throw Unimplemented(
        "[ApplyGradients] '{}' excludes variables: servers decay all weights",
        options_.name);
  }
  RuleHome::Step sent{.rule = rule_.config,
                      .zero_gradient_is_noop = rule_.zero_gradient_is_noop,
                      .weight_decay = options_.weight_decay,
                      .counter = iterations_.get(),
                      .learning_rate = Rate(),
                      .taken = step.taken};
  for (size_t i = 0; i < step.variables.size(); ++i) {
    RuleHome::Item item{.variable = step.variables[i].get(),
                        .gradient = step.gradients[i],
                        .rows = step.rows[i]};
    for (const VariablePtr& slot : Find(step.variables[i]).slots) {
      item.slots.push_back(slot.get());
    }
    sent.items.push_back(std::move(item));
  }
  home->ApplyRule(sent);
}

Tensor Optimizer::Rate() const {
  return schedule_ ? schedule_->At(iterations_->Read())
                   : learning_rate_->Read().Cast(DType::kFloat64);
}

void Optimizer::FinalizeVariableValues(
    const std::vector<VariablePtr>& variables) const {
  if (averages_ && iterations() > 0) averages_->Finalize(variables);
}

int64_t Optimizer::iterations() const {
  return iterations_->Read().item<int64_t>();
}

double Optimizer::learning_rate() const { return Rate().item<double>(); }

void Optimizer::SetLearningRate(double learning_rate) {
  if (schedule_) {
    throw FailedPrecondition(
        "[SetLearningRate] the rate follows a schedule and cannot be set");
  }
  CheckRate(learning_rate);
  learning_rate_->Assign(Tensor::Scalar(static_cast<float>(learning_rate)));
}

VariablePtr Optimizer::Slot(const Variable& variable,
                            std::string_view kind) const {
  if (averages_ && kind == kAverage) {
    if (VariablePtr average = averages_->Of(variable)) return average;
  }
  const auto slot_kind =
      std::ranges::find(rule_.slot_kinds, kind, &SlotKind::name);
  if (slot_kind == rule_.slot_kinds.end()) {
    throw NotFound("[Slot] {} has no '{}'", options_.name, kind);
  }
  const auto trained =
      std::ranges::find_if(trained_, [&](const Trained& candidate) {
        return candidate.variable.get() == &variable;
      });
  if (trained == trained_.end()) {
    throw NotFound("[Slot] {} has not trained '{}'", options_.name,
                   variable.name());
  }
  return trained->slots[slot_kind - rule_.slot_kinds.begin()];
}

std::vector<VariablePtr> Optimizer::variables() const {
  std::vector<VariablePtr> all = {iterations_};
  if (learning_rate_) all.push_back(learning_rate_);
  if (averages_) {
    const std::vector<VariablePtr> averages = averages_->averages();
    all.insert(all.end(), averages.begin(), averages.end());
  }
  for (const Trained& trained : trained_) {
    all.insert(all.end(), trained.slots.begin(), trained.slots.end());
  }
  return all;
}

ObjectConfig Optimizer::Config() const {
  if (rule_.config.class_name.empty()) {
    throw Unimplemented("[Optimizer] '{}' must override Config to be saved",
                        options_.name);
  }
  using Value = ObjectConfig::Value;
  const auto number = [](const std::optional<double>& limit) {
    return limit ? Value(*limit) : Value();
  };
  const Value rate =
      schedule_
          ? Value(std::make_shared<const ObjectConfig>(schedule_->Config()))
          : Value(learning_rate());
  ObjectConfig config{
      rule_.config.class_name,
      {{"name", options_.name},
       {"learning_rate", rate},
       {"weight_decay",
        options_.weight_decay == 0 ? Value() : Value(options_.weight_decay)},
       {"clipnorm", number(options_.clipnorm)},
       {"global_clipnorm", number(options_.global_clipnorm)},
       {"clipvalue", number(options_.clipvalue)}}};
  if (options_.use_ema) {
    const auto& frequency = options_.ema_overwrite_frequency;
    config.settings.insert(
        config.settings.end(),
        {{"use_ema", true},
         {"ema_momentum", options_.ema_momentum},
         {"ema_overwrite_frequency", frequency ? Value(*frequency) : Value()}});
  }
  const auto& own = rule_.config.settings;
  config.settings.insert(config.settings.end(), own.begin(), own.end());
  return config;
}

}  // namespace lockstep
