// The gradients accumulated while a tape is played back: one per tensor that
// the tape follows. A tensor's index is its slot.
#ifndef LOCKSTEP_REFERENCE_AUTODIFF_SLOT_GRADIENTS_H_
#define LOCKSTEP_REFERENCE_AUTODIFF_SLOT_GRADIENTS_H_

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "reference/autodiff/indexed_slices.h"
#include "reference/tensor/tensor.h"

namespace lockstep::autodiff_internal {

// The gradient of a target with respect to itself. Errors: InvalidArgument
// unless it is floating.
Tensor OnesLike(const Tensor& target);

class SlotGradients {
 public:
  explicit SlotGradients(size_t slots) : dense_(slots) {}

  // Adds a part to a slot's gradient, in place if no other tensor shares its
  // memory.
  void Add(int slot, Tensor part);
  void AddRows(int slot, IndexedSlices rows) {
    rows_[slot].push_back(std::move(rows));
  }

  // The slot's dense part, without rows.
  std::optional<Tensor>& Dense(int slot) { return dense_[slot]; }

  // The sum over several slots, in order (a variable that was assigned between
  // two reads has several): rows if there are only rows, nullopt if there is no
  // gradient.
  std::optional<VariableGradient> Sum(const std::vector<int>& slots) const;

 private:
  std::vector<std::optional<Tensor>> dense_;
  std::map<int, std::vector<IndexedSlices>> rows_;
};

}  // namespace lockstep::autodiff_internal

#endif  // LOCKSTEP_REFERENCE_AUTODIFF_SLOT_GRADIENTS_H_
