#include "reference/kernels/convolution/convolution_shape.h"

#include "reference/base/error.h"
#include "reference/kernels/check_tensor.h"

namespace lockstep::kernels_internal {

ConvolutionShape MakeConvolutionShape(std::string_view operation,
                                      const Tensor& x, const Tensor& filter,
                                      const Tensor& bias,
                                      const std::array<int64_t, 2>& strides,
                                      kernels::Padding padding) {
  if (!IsNarrowFloat(x.dtype())) CheckUpToFloat32(operation, "x", x);
  CheckRank(operation, "x", x, 4);
  CheckDType(operation, "filter", filter, x.dtype());
  CheckShape(operation, "filter", filter,
             Shape{kUnknownDim, kUnknownDim, x.dim(3), kUnknownDim});
  if (filter.num_elements() == 0) {
    throw InvalidArgument("[{}] the filter must not be empty, got {}",
                          operation, lockstep::Describe(filter));
  }
  const int64_t outputs = filter.dim(3);
  if (bias.defined()) {
    CheckDType(operation, "bias", bias, x.dtype());
    CheckShape(operation, "bias", bias, Shape{outputs});
  }
  return {x.dim(1),
          x.dim(2),
          x.dim(3),
          filter.dim(0),
          filter.dim(1),
          outputs,
          strides,
          kernels::PlaceWindows(operation, x.dim(1), filter.dim(0), strides[0],
                                padding),
          kernels::PlaceWindows(operation, x.dim(2), filter.dim(1), strides[1],
                                padding),
          x.dtype()};
}

}  // namespace lockstep::kernels_internal
