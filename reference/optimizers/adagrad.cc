#include "reference/optimizers/adagrad.h"

#include <cmath>

#include "reference/optimizers/update_elements.h"

namespace lockstep {

Adagrad::Adagrad(const AdagradConfig& config)
    : Optimizer(
          config.learning_rate, config.options,
          {{"accumulator", "_accumulators", config.initial_accumulator_value}}),
      epsilon_(config.epsilon) {}

void Adagrad::Update(const std::vector<Item>& items, double learning_rate,
                     int64_t /*step*/) {
  for (const Item& item : items) {
    UpdateElements(*item.variable, *item.gradient, *item.slots[0],
                   [&]<typename T>(T& variable, T gradient, T& accumulator) {
                     accumulator += gradient * gradient;
                     variable -=
                         static_cast<T>(learning_rate * gradient /
                                        std::sqrt(accumulator + epsilon_));
                   });
  }
}

}  // namespace lockstep
