#include "reference/optimizers/update_rules.h"

#include <string>
#include <string_view>
#include <variant>

#include "reference/base/error.h"
#include "reference/kernels/optimizer/optimizer_update.h"

namespace lockstep {
namespace {

using Items = std::span<const Optimizer::Item>;
using kernels::StepScalars;

// The items for a kernel: variable, gradient and the named state.
template <typename KernelItem, size_t... kSlots>
std::vector<KernelItem> ListOf(Items items) {
  std::vector<KernelItem> list;
  list.reserve(items.size());
  for (const Optimizer::Item& item : items) {
    list.push_back({item.variable, item.gradient, item.slots[kSlots]...});
  }
  return list;
}

Optimizer::Rule SgdRule(const SgdOptions& config) {
  if (!(config.momentum >= 0 && config.momentum <= 1)) {
    throw InvalidArgument("[Sgd] momentum must be in [0, 1], got {}",
                          config.momentum);
  }
  const kernels::SgdOptions options{.momentum = config.momentum,
                                    .nesterov = config.nesterov};
  const ObjectConfig described{
      "SGD", {{"momentum", config.momentum}, {"nesterov", config.nesterov}}};
  if (config.momentum == 0) {
    return {"Sgd",
            {},
            [options](Items items, const StepScalars& step) {
              kernels::SgdUpdate(ListOf<kernels::SgdItem>(items), options,
                                 step);
            },
            described,
            /*zero_gradient_is_noop=*/true};
  }
  return {"Sgd",
          {{"momentum", "momentums"}},
          [options](Items items, const StepScalars& step) {
            kernels::SgdUpdate(ListOf<kernels::SgdItem, 0>(items), options,
                               step);
          },
          described};
}

Optimizer::Rule AdagradRule(const AdagradOptions& config) {
  const kernels::AdagradOptions options{.epsilon = config.epsilon};
  return {"Adagrad",
          {{"accumulator", "_accumulators", config.initial_accumulator_value}},
          [options](Items items, const StepScalars& step) {
            kernels::AdagradUpdate(ListOf<kernels::AdagradItem, 0>(items),
                                   options, step);
          },
          {"Adagrad",
           {{"initial_accumulator_value", config.initial_accumulator_value},
            {"epsilon", config.epsilon}}},
          /*zero_gradient_is_noop=*/true};
}

Optimizer::Rule RmsPropRule(const RmsPropOptions& config) {
  const kernels::RmsPropOptions options{.rho = config.rho,
                                        .epsilon = config.epsilon};
  return {"RmsProp",
          {{"velocity", "_velocities"}},
          [options](Items items, const StepScalars& step) {
            kernels::RmsPropUpdate(ListOf<kernels::RmsPropItem, 0>(items),
                                   options, step);
          },
          {"RMSprop", {{"rho", config.rho}, {"epsilon", config.epsilon}}}};
}

// The rule of Adam and AdamW, which differ only in weight decay, an option of
// every optimizer.
template <typename Config>
Optimizer::Rule AdamRule(const char* name, const Config& config) {
  for (const double beta : {config.beta_1, config.beta_2}) {
    if (beta >= 0 && beta < 1) continue;
    throw InvalidArgument(
        "[{}] beta_1 and beta_2 must be in [0, 1), got {} and {}", name,
        config.beta_1, config.beta_2);
  }
  const kernels::AdamOptions options{.beta_1 = config.beta_1,
                                     .beta_2 = config.beta_2,
                                     .epsilon = config.epsilon};
  return {name,
          {{"momentum", "_momentums"}, {"velocity", "_velocities"}},
          [options](Items items, const StepScalars& step) {
            kernels::AdamUpdate(ListOf<kernels::AdamItem, 0, 1>(items), options,
                                step);
          },
          {name,
           {{"beta_1", config.beta_1},
            {"beta_2", config.beta_2},
            {"epsilon", config.epsilon}}}};
}

// Sets `value` to the setting of this name, if there is one.
template <typename T>
void Take(const ObjectConfig& config, std::string_view name, T& value) {
  for (const auto& [key, setting] : config.settings) {
    if (key != name) continue;
    if (const T* found = std::get_if<T>(&setting)) {
      value = *found;
      return;
    }
    throw InvalidArgument("[RuleOf] the setting '{}' of {} has another type",
                          name, config.class_name);
  }
}

template <typename Config>
Optimizer::Rule AdamRuleOf(const ObjectConfig& config, const char* name) {
  Config options;
  Take(config, "beta_1", options.beta_1);
  Take(config, "beta_2", options.beta_2);
  Take(config, "epsilon", options.epsilon);
  return AdamRule(name, options);
}

Optimizer::Rule SgdRuleOf(const ObjectConfig& config) {
  SgdOptions options;
  Take(config, "momentum", options.momentum);
  Take(config, "nesterov", options.nesterov);
  return SgdRule(options);
}

Optimizer::Rule AdagradRuleOf(const ObjectConfig& config) {
  AdagradOptions options;
  Take(config, "initial_accumulator_value", options.initial_accumulator_value);
  Take(config, "epsilon", options.epsilon);
  return AdagradRule(options);
}

Optimizer::Rule RmsPropRuleOf(const ObjectConfig& config) {
  RmsPropOptions options;
  Take(config, "rho", options.rho);
  Take(config, "epsilon", options.epsilon);
  return RmsPropRule(options);
}

}  // namespace

Optimizer::Rule RuleOf(const ObjectConfig& config) {
  const std::string& name = config.class_name;
  if (name == "SGD") return SgdRuleOf(config);
  if (name == "Adagrad") return AdagradRuleOf(config);
  if (name == "RMSprop") return RmsPropRuleOf(config);
  if (name == "Adam") return AdamRuleOf<AdamOptions>(config, "Adam");
  if (name == "AdamW") return AdamRuleOf<AdamWOptions>(config, "AdamW");
  throw Unimplemented("[RuleOf] the rule of '{}' is not known here", name);
}

Sgd::Sgd(const SgdOptions& config)
    : Optimizer(config.learning_rate, config.options, SgdRule(config)) {}

Adagrad::Adagrad(const AdagradOptions& config)
    : Optimizer(config.learning_rate, config.options, AdagradRule(config)) {}

RmsProp::RmsProp(const RmsPropOptions& config)
    : Optimizer(config.learning_rate, config.options, RmsPropRule(config)) {}

Adam::Adam(const AdamOptions& config)
    : Optimizer(config.learning_rate, config.options,
                AdamRule("Adam", config)) {}

AdamW::AdamW(const AdamWOptions& config)
    : Optimizer(config.learning_rate, config.options,
                AdamRule("AdamW", config)) {}

}  // namespace lockstep
