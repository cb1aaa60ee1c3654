// Applies an optimizer's rule to values, wherever they are kept.
#ifndef LOCKSTEP_REFERENCE_OPTIMIZERS_UPDATE_ITEMS_H_
#define LOCKSTEP_REFERENCE_OPTIMIZERS_UPDATE_ITEMS_H_

#include <span>

#include "reference/optimizers/optimizer.h"

namespace lockstep::optimizers_internal {

// One step: weight decay of the items that have it, then the rule. rows[i], if
// defined, are the rows that the gradient of items[i] is of. REQUIRES: rows of an item differ. Errors:
// InvalidArgument for what does not fit together.
void UpdateItems(const Optimizer::Rule& rule, double weight_decay,
                 std::span<const Optimizer::Item> items,
                 std::span<const Tensor> rows,
                 const kernels::StepScalars& step);

}  // namespace lockstep::optimizers_internal

#endif  // LOCKSTEP_REFERENCE_OPTIMIZERS_UPDATE_ITEMS_H_
