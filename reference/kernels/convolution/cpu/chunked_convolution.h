// A convolution computed a few images at a time, split over the thread team.
//
// Each thread's range of images is divided into chunks whose outputs fit into a
// core's cache, so that the next operation (ReLU, pooling) or, backward, the
// previous one, finds them there.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CPU_CHUNKED_CONVOLUTION_H_
#define LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CPU_CHUNKED_CONVOLUTION_H_

#include <cstdint>
#include <functional>

#include "reference/kernels/convolution/convolution_shape.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels_internal {

// The images of a chunk, from `first` on, processed by a member of the team.
struct Chunk {
  int64_t first;
  int64_t count;
  int member;
};

// For each chunk, where its outputs of `y_type` go, and what is done with them.
// `bias` is float32.
using PlaceOutputs = std::function<void*(const Chunk& chunk)>;
using FinishOutputs = std::function<void(const Chunk& chunk, void* y)>;
void ConvolveChunks(const ConvolutionShape& shape, DType y_type,
                    const Tensor& x, const Tensor& filter, const Tensor& bias,
                    const PlaceOutputs& place, const FinishOutputs& finish);

// For each chunk, the gradient of its outputs, of the shape's type.
using ProvideGradient = std::function<const void*(const Chunk& chunk)>;
// Sets dfilter and dbias, which are float32, and dx, of the shape's type,
// unless it is undefined.
void ConvolveChunksBackward(const ConvolutionShape& shape, const Tensor& x,
                            const Tensor& filter,
                            const ProvideGradient& provide, Tensor& dx,
                            Tensor& dfilter, Tensor& dbias);

// The maximum number of images in a chunk of this shape.
int64_t ChunkImages(const ConvolutionShape& shape);

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CPU_CHUNKED_CONVOLUTION_H_
