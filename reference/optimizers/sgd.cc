#include "reference/optimizers/sgd.h"

#include "reference/base/error.h"

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

}  // namespace lockstep
