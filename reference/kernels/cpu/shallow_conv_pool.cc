#include "reference/kernels/cpu/shallow_conv_pool.h"

#include <algorithm>

#include "reference/base/thread_team.h"
#include "reference/kernels/cpu/float_parts.h"
#include "reference/kernels/cpu/member_rooms.h"

namespace lockstep::kernels_internal {

void ShallowConvPool(const ShallowShape& shape, const Tensor& x,
                     const Tensor& filter, const Tensor& bias, Tensor& y,
                     Tensor& selection) {
  const int64_t x_image = shape.height * shape.width * shape.inputs;
  const int64_t y_image = shape.rows * shape.columns * shape.outputs;
  const MemberRooms rooms(shape.image_size()), inputs(x_image), pooled(y_image);
  const float* w = filter.data<float>();
  const float* b = bias.defined() ? bias.data<float>() : nullptr;
  uint8_t* winners = selection.mutable_data<uint8_t>();
  ParallelFor(x.dim(0), 1, [&](int64_t begin, int64_t end, int member) {
    float* padded = rooms.Of(member);
    for (int64_t n = begin; n < end; ++n) {
      ShallowPad(shape, ReadFloats(x, n * x_image, x_image, inputs.Of(member)),
                 padded);
      float* to = PlaceFloats(y, n * y_image, pooled.Of(member));
      ShallowForward(shape, padded, w, b, to, winners + n * y_image);
      KeepFloats(to, y, n * y_image, y_image);
    }
  });
}

void ShallowConvPoolBackward(const ShallowShape& shape, const Tensor& x,
                             const Tensor& selection, const Tensor& dy,
                             Tensor& dfilter, Tensor& dbias) {
  const int64_t filter_size = shape.taps * shape.outputs;
  const int64_t x_image = shape.height * shape.width * shape.inputs;
  const int64_t y_image = shape.rows * shape.columns * shape.outputs;
  const MemberRooms inputs(x_image), pooled(y_image);
  MemberRooms images(shape.image_size());
  MemberRooms quads(shape.quads_size());
  MemberRooms sums(filter_size + shape.outputs);
  sums.Clear();
  const uint8_t* winners = selection.data<uint8_t>();
  ParallelFor(x.dim(0), 1, [&](int64_t begin, int64_t end, int member) {
    float* padded = images.Of(member);
    for (int64_t n = begin; n < end; ++n) {
      ShallowPad(shape, ReadFloats(x, n * x_image, x_image, inputs.Of(member)),
                 padded);
      ShallowQuads(shape, padded, quads.Of(member));
      ShallowBackward(shape, quads.Of(member),
                      ReadFloats(dy, n * y_image, y_image, pooled.Of(member)),
                      winners + n * y_image, sums.Of(member),
                      sums.Of(member) + filter_size);
    }
  });
  sums.SumInOrder();
  std::copy_n(sums.Of(0), filter_size, dfilter.mutable_data<float>());
  std::copy_n(sums.Of(0) + filter_size, shape.outputs,
              dbias.mutable_data<float>());
}

}  // namespace lockstep::kernels_internal
