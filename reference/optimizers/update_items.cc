#include "reference/optimizers/update_items.h"

#include <vector>

#include "reference/autodiff/indexed_slices.h"
#include "reference/kernels/movement/movement.h"
#include "reference/kernels/optimizer/optimizer_update.h"

namespace lockstep::optimizers_internal {
namespace {

// Applies the rule to copies of the rows and writes them back.
void UpdateRows(const Optimizer::Rule& rule, const Optimizer::Item& item,
                const Tensor& rows, const kernels::StepScalars& step) {
  Tensor variable = kernels::Gather(*item.variable, rows);
  std::vector<Tensor> slots;
  for (const Tensor* slot : item.slots) {
    slots.push_back(kernels::Gather(*slot, rows));
  }
  std::vector<Tensor*> places;
  for (Tensor& slot : slots) places.push_back(&slot);
  const Optimizer::Item of_rows{&variable, item.gradient, places};
  rule.update({&of_rows, 1}, step);
  kernels::AssignRows(*item.variable, rows, variable);
  for (size_t i = 0; i < slots.size(); ++i) {
    kernels::AssignRows(*item.slots[i], rows, slots[i]);
  }
}

}  // namespace

void UpdateItems(const Optimizer::Rule& rule, double weight_decay,
                 std::span<const Optimizer::Item> items,
                 std::span<const Tensor> rows,
                 const kernels::StepScalars& step) {
  if (weight_decay != 0) {
    std::vector<Tensor*> variables;
    for (const Optimizer::Item& item : items) {
      if (item.decays) variables.push_back(item.variable);
    }
    if (!variables.empty()) {
      kernels::DecayWeights(variables, weight_decay, step);
    }
  }
  std::vector<Optimizer::Item> whole;
  std::vector<Tensor> made_dense;
  made_dense.reserve(items.size());
  for (size_t i = 0; i < items.size(); ++i) {
    const Optimizer::Item& item = items[i];
    if (!rows[i].defined()) {
      whole.push_back(item);
    } else if (rule.zero_gradient_is_noop) {
      UpdateRows(rule, item, rows[i], step);
    } else {
      made_dense.push_back(
          IndexedSlices(*item.gradient, rows[i], item.variable->shape())
              .ToDense());
      whole.push_back({item.variable, &made_dense.back(), item.slots});
    }
  }
  if (!whole.empty()) rule.update(whole, step);
}

}  // namespace lockstep::optimizers_internal
