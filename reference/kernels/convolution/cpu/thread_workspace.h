// Temporary floats for kernels: a workspace per thread, and parts of tensors
// converted to float.
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
  // Not cleared. Each member's part starts a cache line.
  explicit ThreadWorkspace(int64_t floats);

  float* Of(int64_t member) const { return data_ + member * stride_; }

  void Clear();
  // Adds the other members' parts to the first member's, in member order.
  void SumInOrder();

 private:
  int64_t members_;
  int64_t stride_;
  Tensor memory_;
  float* data_;
};

// Parts of a float32 or bfloat16 tensor as floats. Kernels convert one part at
// a time, so that it stays in the core's cache.
//
//   const float* in = ReadFloats(x, i * n, n, buffer);   // x itself, or buffer
//   float* out = PlaceFloats(y, i * n, other_buffer);
//   Compute(in, out, n);
//   KeepFloats(out, y, i * n, n);                      // rounds, once
//
// Returns elements first .. first + count - 1. `buffer` has room for `count`
// floats.
const float* ReadFloats(const Tensor& tensor, int64_t first, int64_t count,
                        float* buffer);

// Where to write the floats of the elements from `first` on.
float* PlaceFloats(Tensor& tensor, int64_t first, float* buffer);

// Stores floats that were written to PlaceFloats' result in the tensor.
void KeepFloats(const float* written, Tensor& tensor, int64_t first,
                int64_t count);

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CPU_THREAD_WORKSPACE_H_
