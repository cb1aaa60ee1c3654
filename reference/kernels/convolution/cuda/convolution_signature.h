// The key of a convolution's plan: everything the plan depends on.
//
// Not every engine supports padding that differs at the start and the end, as
// SAME may require. Such a convolution equals one of an input with rows and
// columns of zeros added at the end:
//
//   signature.WithTrailingZeros();         // the larger input, equal padding
#ifndef LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CUDA_CONVOLUTION_SIGNATURE_H_
#define LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CUDA_CONVOLUTION_SIGNATURE_H_

#include <compare>
#include <cstdint>
#include <string>

#include "reference/kernels/convolution/convolution_shape.h"
#include "reference/kernels/gpu_libraries.h"
#include "reference/tensor/dtype.h"

namespace lockstep::kernels_internal {

enum class ConvolutionPass { kForward, kBackwardData, kBackwardFilter };

struct ConvolutionSignature {
  ConvolutionPass pass = ConvolutionPass::kForward;
  DType dtype = DType::kFloat32;
  int64_t images = 0;
  ConvolutionShape shape{};
  bool bias = false;  // forward only, as is relu
  bool relu = false;
  bool wide = false;  // y of 16-bit x is float32; forward only
  // Winograd's transforms spread a NaN or infinity over a tile.
  bool allow_winograd = false;
  bool allow_tf32 = false;
  bool autotune = false;

  auto operator<=>(const ConvolutionSignature&) const = default;

  ConvolutionSignature WithTrailingZeros() const;
};

// A description for people, different for each signature.
std::string Describe(const ConvolutionSignature& signature);

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CUDA_CONVOLUTION_SIGNATURE_H_
