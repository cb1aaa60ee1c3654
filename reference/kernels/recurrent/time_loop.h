// What the recurrent kernels share: the division of a batch into blocks of
// examples, each of which runs through all steps by itself.
#ifndef LOCKSTEP_REFERENCE_KERNELS_RECURRENT_TIME_LOOP_H_
#define LOCKSTEP_REFERENCE_KERNELS_RECURRENT_TIME_LOOP_H_

#include <algorithm>
#include <cstdint>

#include "reference/base/threads.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels_internal {

struct RecurrentSizes {
  int64_t batch, steps, units;

  bool empty() const { return batch * steps * units == 0; }
};

// Checks the types and shapes of a layer with `gates` gates and `states` states
// per unit. Errors: as the kernels.
RecurrentSizes CheckRecurrent(const char* operation, int64_t gates,
                              int64_t states, const Tensor& projected,
                              const Tensor& recurrent, const Tensor& initial);

// Calls body(first, count) for blocks of examples. They have this size whatever
// the team is, so that products have the same bits.
template <class Body>
void ForExamples(const RecurrentSizes& sizes, const Body& body) {
  constexpr int64_t kBlock = 16;
  const int64_t blocks = (sizes.batch + kBlock - 1) / kBlock;
  ParallelFor(blocks, 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t block = begin; block < end; ++block) {
      const int64_t first = block * kBlock;
      body(first, std::min(kBlock, sizes.batch - first));
    }
  });
}

// The element (example, step, 0) of a tensor [N, T, width].
template <typename T>
const T* At(const Tensor& tensor, int64_t example, int64_t step) {
  return tensor.data<T>() + (example * tensor.dim(1) + step) * tensor.dim(2);
}

// The states before each step: `initial` [N, S], then those of `states`
// [N, T, S] without the last; only the first `width` of them.
Tensor StatesBefore(const Tensor& initial, const Tensor& states, int64_t width);

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_RECURRENT_TIME_LOOP_H_
