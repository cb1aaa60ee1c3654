#include "reference/optimizers/rms_prop.h"

#include <cmath>

#include "reference/optimizers/update_elements.h"

namespace lockstep {

RmsProp::RmsProp(const RmsPropConfig& config)
    : Optimizer(config.learning_rate, config.options,
                {{"velocity", "_velocities", 0.0}}),
      rho_(config.rho),
      epsilon_(config.epsilon) {}

void RmsProp::Update(const std::vector<Item>& items, double learning_rate,
                     int64_t /*step*/) {
  for (const Item& item : items) {
    UpdateElements(*item.variable, *item.gradient, *item.slots[0],
                   [&]<typename T>(T& variable, T gradient, T& velocity) {
                     velocity = static_cast<T>(
                         rho_ * velocity + (1 - rho_) * gradient * gradient);
                     variable -= static_cast<T>(learning_rate * gradient /
                                                std::sqrt(velocity + epsilon_));
                   });
  }
}

}  // namespace lockstep
