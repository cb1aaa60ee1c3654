#include "reference/kernels/convolution/cpu/float_rooms.h"

#include <algorithm>

#include "reference/base/threads.h"
#include "reference/tensor/cast_loop.h"
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

const float* ReadFloats(const Tensor& tensor, int64_t first, int64_t count,
                        float* room) {
  if (tensor.dtype() == DType::kFloat32) return tensor.data<float>() + first;
  CastLoop(tensor.data<BFloat16>() + first, room, count);
  return room;
}

float* PlaceFloats(Tensor& tensor, int64_t first, float* room) {
  return tensor.dtype() == DType::kFloat32
             ? tensor.mutable_data<float>() + first
             : room;
}

void KeepFloats(const float* written, Tensor& tensor, int64_t first,
                int64_t count) {
  if (tensor.dtype() == DType::kFloat32) return;
  CastLoop(written, tensor.mutable_data<BFloat16>() + first, count);
}

}  // namespace lockstep::kernels_internal
