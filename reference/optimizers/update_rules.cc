#include "reference/optimizers/update_rules.h"

#include "reference/base/error.h"
#include "reference/kernels/optimizer/optimizer_update.h"

namespace lockstep {
namespace {

using kernels::SgdItem;

std::vector<SgdItem> ListOf(const std::vector<Optimizer::Item>& items) {
  std::vector<SgdItem> list;
  list.reserve(items.size());
  for (const Optimizer::Item& item : items) {
    list.push_back({item.variable, item.gradient,
                    item.slots.empty() ? nullptr : item.slots[0]});
  }
  return list;
}

}  // namespace

Sgd::Sgd(const SgdConfig& config)
    : Optimizer(config.learning_rate, config.options,
                config.momentum == 0
                    ? std::vector<SlotKind>{}
                    : std::vector<SlotKind>{{"momentum", "momentums", 0.0}}),
      options_{.momentum = config.momentum, .nesterov = config.nesterov} {
  if (!(config.momentum >= 0 && config.momentum <= 1)) {
    throw InvalidArgument("[Sgd] momentum must lie in [0, 1], got {}",
                          config.momentum);
  }
}

void Sgd::Update(const std::vector<Item>& items, double learning_rate,
                 int64_t /*step*/) {
  kernels::SgdOptions options = options_;
  options.learning_rate = learning_rate;
  kernels::SgdUpdate(ListOf(items), options);
}

void Sgd::UpdateOnGpu(const std::vector<Item>& items,
                      const kernels::GpuStep& step) {
  kernels::SgdUpdate(ListOf(items), options_, step);
}

namespace {

using kernels::AdagradItem;

std::vector<AdagradItem> ListOfAdagrad(
    const std::vector<Optimizer::Item>& items) {
  std::vector<AdagradItem> list;
  list.reserve(items.size());
  for (const Optimizer::Item& item : items) {
    list.push_back({item.variable, item.gradient, item.slots[0]});
  }
  return list;
}

}  // namespace

Adagrad::Adagrad(const AdagradConfig& config)
    : Optimizer(
          config.learning_rate, config.options,
          {{"accumulator", "_accumulators", config.initial_accumulator_value}}),
      epsilon_(config.epsilon) {}

void Adagrad::Update(const std::vector<Item>& items, double learning_rate,
                     int64_t /*step*/) {
  kernels::AdagradUpdate(ListOfAdagrad(items),
                         {.learning_rate = learning_rate, .epsilon = epsilon_});
}

void Adagrad::UpdateOnGpu(const std::vector<Item>& items,
                          const kernels::GpuStep& step) {
  kernels::AdagradUpdate(ListOfAdagrad(items), {.epsilon = epsilon_}, step);
}

namespace {

using kernels::RmsPropItem;

std::vector<RmsPropItem> ListOfRmsProp(
    const std::vector<Optimizer::Item>& items) {
  std::vector<RmsPropItem> list;
  list.reserve(items.size());
  for (const Optimizer::Item& item : items) {
    list.push_back({item.variable, item.gradient, item.slots[0]});
  }
  return list;
}

}  // namespace

RmsProp::RmsProp(const RmsPropConfig& config)
    : Optimizer(config.learning_rate, config.options,
                {{"velocity", "_velocities", 0.0}}),
      rho_(config.rho),
      epsilon_(config.epsilon) {}

void RmsProp::Update(const std::vector<Item>& items, double learning_rate,
                     int64_t /*step*/) {
  kernels::RmsPropUpdate(
      ListOfRmsProp(items),
      {.learning_rate = learning_rate, .rho = rho_, .epsilon = epsilon_});
}

void RmsProp::UpdateOnGpu(const std::vector<Item>& items,
                          const kernels::GpuStep& step) {
  kernels::RmsPropUpdate(ListOfRmsProp(items),
                         {.rho = rho_, .epsilon = epsilon_}, step);
}

namespace {

using kernels::AdamItem;

std::vector<AdamItem> ListOfAdam(const std::vector<Optimizer::Item>& items) {
  std::vector<AdamItem> list;
  list.reserve(items.size());
  for (const Optimizer::Item& item : items) {
    list.push_back(
        {item.variable, item.gradient, item.slots[0], item.slots[1]});
  }
  return list;
}

}  // namespace

Adam::Adam(const AdamConfig& config)
    : Optimizer(
          config.learning_rate, config.options,
          {{"momentum", "_momentums", 0.0}, {"velocity", "_velocities", 0.0}}),
      options_{.beta_1 = config.beta_1,
               .beta_2 = config.beta_2,
               .epsilon = config.epsilon} {}

void Adam::Update(const std::vector<Item>& items, double learning_rate,
                  int64_t step) {
  kernels::AdamOptions options = options_;
  options.learning_rate = learning_rate;
  kernels::AdamUpdate(ListOfAdam(items), options, step);
}

void Adam::UpdateOnGpu(const std::vector<Item>& items,
                       const kernels::GpuStep& step) {
  kernels::AdamUpdate(ListOfAdam(items), options_, step);
}

}  // namespace lockstep
