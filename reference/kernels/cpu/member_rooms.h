// Floats to work in, as many for each member of the current thread team.
//
//   MemberRooms sums(10);
//   sums.Clear();
//   ParallelFor(n, 1, [&](int64_t begin, int64_t end, int member) {
//     for (int64_t i = begin; i < end; ++i) AddTo(sums.Of(member), i);
//   });
//   sums.SumInOrder();   // the total is in sums.Of(0)
#ifndef LOCKSTEP_REFERENCE_KERNELS_CPU_MEMBER_ROOMS_H_
#define LOCKSTEP_REFERENCE_KERNELS_CPU_MEMBER_ROOMS_H_

#include <cstdint>

#include "reference/tensor/tensor.h"

namespace lockstep::kernels_internal {

class MemberRooms {
 public:
  // Not cleared. Rooms start at cache lines of their own.
  explicit MemberRooms(int64_t floats);

  float* Of(int64_t member) const { return data_ + member * stride_; }

  void Clear();
  // Adds the other members' rooms to the first one's, in member order.
  void SumInOrder();

 private:
  int64_t members_;
  int64_t stride_;
  Tensor memory_;
  float* data_;
};

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_CPU_MEMBER_ROOMS_H_
