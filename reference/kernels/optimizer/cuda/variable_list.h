// The variables that one launch of an optimizer's kernel updates, and the
// division of many variables among launches.
#ifndef LOCKSTEP_REFERENCE_KERNELS_OPTIMIZER_CUDA_VARIABLE_LIST_H_
#define LOCKSTEP_REFERENCE_KERNELS_OPTIMIZER_CUDA_VARIABLE_LIST_H_

#include <cstdint>

#include "reference/base/check.h"

namespace lockstep::cuda {

// Passed to the kernel by value. Each block has up to kBlockElements elements
// of one variable, so few that a small network's variables fill a large GPU.
template <typename T>
class VariableList {
 public:
  static constexpr int kMost = 64;
  static constexpr int64_t kBlockElements = 1024;

  struct Item {
    T* variable;
    const T* gradient;
    T* first;   // momentum of Adam, velocity of SGD (nullptr without)
    T* second;  // velocity of Adam
    int64_t count;
  };

  // Returns false if the list or the launch is full.
  bool Append(const Item& item) {
    const int64_t blocks = (item.count + kBlockElements - 1) / kBlockElements;
    if (size == kMost || block_ends_[size] + blocks > INT32_MAX) return false;
    items[size] = item;
    block_ends_[size + 1] = block_ends_[size] + blocks;
    ++size;
    return true;
  }

  constexpr int64_t blocks() const { return block_ends_[size]; }
  // The index of a block's variable.
  constexpr int ItemOf(int64_t block) const {
    int item = 0;
    while (block_ends_[item + 1] <= block) ++item;
    return item;
  }
  constexpr int64_t FirstBlockOf(int item) const { return block_ends_[item]; }

  int size = 0;
  Item items[kMost];

 private:
  int64_t block_ends_[kMost + 1] = {0};
};

// Calls launch(list) for as few lists as possible, which contain convert(item)
// for all items.
template <typename T, class Items, class Convert, class Launch>
void InLists(const Items& items, const Convert& convert, const Launch& launch) {
  VariableList<T> list;
  for (const auto& item : items) {
    if (list.Append(convert(item))) continue;
    launch(list);
    list = {};
    LOCKSTEP_CHECK(list.Append(convert(item)));
  }
  launch(list);
}

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_OPTIMIZER_CUDA_VARIABLE_LIST_H_
