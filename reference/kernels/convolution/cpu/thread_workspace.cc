#include "reference/kernels/convolution/cpu/thread_workspace.h"

#include <algorithm>

#include "reference/base/threads.h"
#include "reference/tensor/cast_loop.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::kernels_internal {
namespace {

constexpr int64_t kLine = 16;  // floats of a cache line

}  // namespace

ThreadWorkspace::ThreadWorkspace(int64_t floats)
    : members_(CurrentTeamSize()),
      stride_((floats + kLine - 1) / kLine * kLine),
      memory_(EmptyOnHost(Shape{members_, stride_})),
      data_(memory_.mutable_data<float>()) {}

void ThreadWorkspace::Clear() { std::fill_n(data_, members_ * stride_, 0.0f); }

void ThreadWorkspace::SumInOrder() {
  for (int64_t member = 1; member < members_; ++member) {
    const float* other = Of(member);
    for (int64_t i = 0; i < stride_; ++i) data_[i] += other[i];
  }
}

const float* ReadFloats(const Tensor& tensor, int64_t first, int64_t count,
                        float* buffer) {
  if (tensor.dtype() == DType::kFloat32) return tensor.data<float>() + first;
  CastLoop(tensor.data<BFloat16>() + first, buffer, count);
  return buffer;
}

float* PlaceFloats(Tensor& tensor, int64_t first, float* buffer) {
  return tensor.dtype() == DType::kFloat32
             ? tensor.mutable_data<float>() + first
             : buffer;
}

void KeepFloats(const float* written, Tensor& tensor, int64_t first,
                int64_t count) {
  if (tensor.dtype() == DType::kFloat32) return;
  CastLoop(written, tensor.mutable_data<BFloat16>() + first, count);
}

}  // namespace lockstep::kernels_internal
