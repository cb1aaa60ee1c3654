#include "reference/kernels/cpu/member_rooms.h"

#include <algorithm>

#include "reference/base/thread_team.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::kernels_internal {
namespace {

constexpr int64_t kLine = 16;  // floats of a cache line

}  // namespace

MemberRooms::MemberRooms(int64_t floats)
    : members_(CurrentTeamSize()),
      stride_((floats + kLine - 1) / kLine * kLine),
      memory_(EmptyOnHost(Shape{members_, stride_})),
      data_(memory_.mutable_data<float>()) {}

void MemberRooms::Clear() { std::fill_n(data_, members_ * stride_, 0.0f); }

void MemberRooms::SumInOrder() {
  for (int64_t member = 1; member < members_; ++member) {
    const float* other = Of(member);
    for (int64_t i = 0; i < stride_; ++i) data_[i] += other[i];
  }
}

}  // namespace lockstep::kernels_internal
