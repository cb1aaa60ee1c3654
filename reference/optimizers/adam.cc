#include "reference/optimizers/adam.h"

namespace lockstep {
namespace {

using kernels::AdamItem;

std::vector<AdamItem> ListOf(const std::vector<Optimizer::Item>& items) {
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
  kernels::AdamUpdate(ListOf(items), options, step);
}

void Adam::UpdateOnGpu(const std::vector<Item>& items,
                       const kernels::GpuStep& step) {
  kernels::AdamUpdate(ListOf(items), options_, step);
}

}  // namespace lockstep
