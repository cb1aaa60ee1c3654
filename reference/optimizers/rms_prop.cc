#include "reference/optimizers/rms_prop.h"

#include "reference/kernels/rms_prop_update.h"

namespace lockstep {
namespace {

using kernels::RmsPropItem;

std::vector<RmsPropItem> ListOf(const std::vector<Optimizer::Item>& items) {
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
      ListOf(items),
      {.learning_rate = learning_rate, .rho = rho_, .epsilon = epsilon_});
}

void RmsProp::UpdateOnGpu(const std::vector<Item>& items,
                          const kernels::GpuStep& step) {
  kernels::RmsPropUpdate(ListOf(items), {.rho = rho_, .epsilon = epsilon_},
                         step);
}

}  // namespace lockstep
