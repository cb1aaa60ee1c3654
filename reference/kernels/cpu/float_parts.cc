#include "reference/kernels/cpu/float_parts.h"

#include "reference/tensor/cast_loop.h"

namespace lockstep::kernels_internal {

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
