#include "reference/optimizers/adam.h"

#include "reference/kernels/adam_update.h"

namespace lockstep {

Adam::Adam(const AdamConfig& config)
    : Optimizer(
          config.learning_rate, config.options,
          {{"momentum", "_momentums", 0.0}, {"velocity", "_velocities", 0.0}}),
      beta_1_(config.beta_1),
      beta_2_(config.beta_2),
      epsilon_(config.epsilon) {}

void Adam::Update(const std::vector<Item>& items, double learning_rate,
                  int64_t step) {
  std::vector<kernels::AdamItem> list;
  list.reserve(items.size());
  for (const Item& item : items) {
    list.push_back(
        {item.variable, item.gradient, item.slots[0], item.slots[1]});
  }
  kernels::AdamUpdate(list,
                      {.learning_rate = learning_rate,
                       .beta_1 = beta_1_,
                       .beta_2 = beta_2_,
                       .epsilon = epsilon_},
                      step);
}

}  // namespace lockstep
