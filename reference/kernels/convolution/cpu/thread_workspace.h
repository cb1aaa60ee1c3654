// Floats that kernels compute with beside their tensors: a workspace for each
// thread, and tensors as floats a part at a time.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CPU_THREAD_WORKSPACE_H_
#define LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CPU_THREAD_WORKSPACE_H_

#include <cstdint>

#include "reference/tensor/tensor.h"

namespace lockstep::kernels_internal {

// A workspace of floats for each thread of the current team.
//
//   ThreadWorkspace sums(10);
//   sums.Clear();
//   ParallelFor(n, 1, [&](int64_t begin, int64_t end, int member) {
//     for (int64_t i = begin; i < end; ++i) AddTo(sums.Of(member), i);
//   });
//   sums.SumInOrder();   // the total is in sums.Of(0)
class ThreadWorkspace {
 public:
  // Not cleared. Each member's part begins at a cache line of its own.
  explicit ThreadWorkspace(int64_t floats);

  float* Of(int64_t member) const { return data_ + member * stride_; }

  void Clear();
  // Adds the other members' parts to the first one's, in member order.
  void SumInOrder();

 private:
  int64_t members_;
  int64_t stride_;
  Tensor memory_;
  float* data_;
};

// Parts of a float32 or bfloat16 tensor for kernels that compute with floats, a
// part at a time, so that what is widened stays in the core's cache.
//
//   const float* in = ReadFloats(x, i * n, n, buffer);   // x itself, or buffer
//   float* out = PlaceFloats(y, i * n, other_buffer);
//   Compute(in, out, n);
//   KeepFloats(out, y, i * n, n);                      // rounds, once
//
// Elements first .. first + count - 1. `buffer` has as many floats.
const float* ReadFloats(const Tensor& tensor, int64_t first, int64_t count,
                        float* buffer);

// Where the floats from element `first` on are to be written.
float* PlaceFloats(Tensor& tensor, int64_t first, float* buffer);

// Brings what was written where PlaceFloats said to the tensor.
void KeepFloats(const float* written, Tensor& tensor, int64_t first,
                int64_t count);

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CPU_THREAD_WORKSPACE_H_
