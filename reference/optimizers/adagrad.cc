#include "reference/optimizers/adagrad.h"

#include "reference/kernels/adagrad_update.h"

namespace lockstep {
namespace {

using kernels::AdagradItem;

std::vector<AdagradItem> ListOf(const std::vector<Optimizer::Item>& items) {
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
  kernels::AdagradUpdate(ListOf(items),
                         {.learning_rate = learning_rate, .epsilon = epsilon_});
}

void Adagrad::UpdateOnGpu(const std::vector<Item>& items,
                          const kernels::GpuStep& step) {
  kernels::AdagradUpdate(ListOf(items), {.epsilon = epsilon_}, step);
}

}  // namespace lockstep
