// Gradients in the making, while a tape is played back: one a tensor that it
// follows, which has a number, its slot.
#ifndef LOCKSTEP_REFERENCE_AUTODIFF_SLOT_GRADIENTS_H_
#define LOCKSTEP_REFERENCE_AUTODIFF_SLOT_GRADIENTS_H_

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "reference/autodiff/indexed_slices.h"
#include "reference/tensor/tensor.h"

namespace lockstep::autodiff_internal {

// The gradient of a target by itself. Errors: InvalidArgument unless it is
// floating.
Tensor OnesLike(const Tensor& target);

class SlotGradients {
 public:
  explicit SlotGradients(size_t slots) : dense_(slots) {}

  // Adds a part to a slot's gradient; what it is added to is changed in place
  // where nobody else holds it.
  void Add(int slot, Tensor part);
  void AddRows(int slot, IndexedSlices rows) {
    rows_[slot].push_back(std::move(rows));
  }

  // Without its rows.
  std::optional<Tensor>& Dense(int slot) { return dense_[slot]; }

  // What belongs to several slots (a variable that was assigned between two
  // reads), added in their order: rows where there are only rows, nullopt
  // without any gradient.
  std::optional<VariableGradient> Sum(const std::vector<int>& slots) const;

 private:
  std::vector<std::optional<Tensor>> dense_;
  std::map<int, std::vector<IndexedSlices>> rows_;
};

}  // namespace lockstep::autodiff_internal

#endif  // LOCKSTEP_REFERENCE_AUTODIFF_SLOT_GRADIENTS_H_
