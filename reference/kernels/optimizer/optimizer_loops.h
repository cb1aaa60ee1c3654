// Vector loops of optimizer_update.h, and the division of lists among threads.
#ifndef LOCKSTEP_REFERENCE_KERNELS_OPTIMIZER_OPTIMIZER_LOOPS_H_
#define LOCKSTEP_REFERENCE_KERNELS_OPTIMIZER_OPTIMIZER_LOOPS_H_

#include <algorithm>
#include <cstdint>
#include <span>

#include "reference/base/threads.h"
#include "reference/kernels/optimizer/optimizer_math.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels_internal {

template <typename T>
void AdamLoop(const AdamConstants<T>& constants, const T* gradient, T* variable,
              T* momentum, T* velocity, int64_t count);

// `velocity` is nullptr without momentum.
template <typename T>
void SgdLoop(const SgdConstants<T>& constants, const T* gradient, T* variable,
             T* velocity, int64_t count);

// Splits the elements of all items over the team, as if they were one array.
// Calls body(item, begin, end) with elements of one item.
template <class Item, class Body>
void ForEachPiece(std::span<const Item> items, const Body& body) {
  constexpr int64_t kGrain = 8192;  // elements worth waking a thread for
  int64_t total = 0;
  for (const Item& item : items) total += item.variable->num_elements();
  ParallelFor(total, kGrain, [&](int64_t begin, int64_t end, int) {
    int64_t first = 0;  // the item's first element among all
    for (const Item& item : items) {
      const int64_t count = item.variable->num_elements();
      const int64_t from = std::clamp<int64_t>(begin - first, 0, count);
      const int64_t to = std::clamp<int64_t>(end - first, 0, count);
      if (from < to) body(item, from, to);
      first += count;
    }
  });
}

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_OPTIMIZER_OPTIMIZER_LOOPS_H_
