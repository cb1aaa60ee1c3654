#include "reference/optimizers/sgd.h"

#include "reference/base/error.h"
#include "reference/kernels/sgd_update.h"

namespace lockstep {

Sgd::Sgd(const SgdConfig& config)
    : Optimizer(config.learning_rate, config.options,
                config.momentum == 0
                    ? std::vector<SlotKind>{}
                    : std::vector<SlotKind>{{"momentum", "momentums", 0.0}}),
      momentum_(config.momentum),
      nesterov_(config.nesterov) {
  if (!(momentum_ >= 0 && momentum_ <= 1)) {
    throw InvalidArgument("[Sgd] momentum must lie in [0, 1], got {}",
                          momentum_);
  }
}

void Sgd::Update(const std::vector<Item>& items, double learning_rate,
                 int64_t /*step*/) {
  std::vector<kernels::SgdItem> list;
  list.reserve(items.size());
  for (const Item& item : items) {
    list.push_back({item.variable, item.gradient,
                    item.slots.empty() ? nullptr : item.slots[0]});
  }
  kernels::SgdUpdate(list, {.learning_rate = learning_rate,
                            .momentum = momentum_,
                            .nesterov = nesterov_});
}

}  // namespace lockstep
