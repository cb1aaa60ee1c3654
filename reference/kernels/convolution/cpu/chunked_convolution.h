// A convolution a few images at a time, split over the thread team.
//
// Each thread's range of images is cut into chunks whose outputs fit into a
// core's cache, so that what comes next (ReLU, pooling) or before (its
// gradient) finds them there.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CPU_CHUNKED_CONVOLUTION_H_
#define LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CPU_CHUNKED_CONVOLUTION_H_

#include <cstdint>
#include <functional>

#include "reference/kernels/convolution/convolution_shape.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels_internal {

// Images `first`.. of a chunk, worked on by a member of the team.
struct Chunk {
  int64_t first;
  int64_t count;
  int member;
};

// For each chunk: where its outputs of `y_type` go, and what happens to them
// then. `bias` is float32.
using PlaceOutputs = std::function<void*(const Chunk& chunk)>;
using FinishOutputs = std::function<void(const Chunk& chunk, void* y)>;
void ConvolveChunks(const ConvolutionShape& shape, DType y_type,
                    const Tensor& x, const Tensor& filter, const Tensor& bias,
                    const PlaceOutputs& place, const FinishOutputs& finish);

// For each chunk: the gradient of its outputs, of the shape's type.
using ProvideGradient = std::function<const void*(const Chunk& chunk)>;
// Sets dx, of the shape's type, unless it is undefined, and dfilter and dbias,
// which are float32.
void ConvolveChunksBackward(const ConvolutionShape& shape, const Tensor& x,
                            const Tensor& filter,
                            const ProvideGradient& provide, Tensor& dx,
                            Tensor& dfilter, Tensor& dbias);

// The most images a chunk of this shape has.
int64_t ChunkImages(const ConvolutionShape& shape);

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CPU_CHUNKED_CONVOLUTION_H_
