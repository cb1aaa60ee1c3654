// oneDNN's convolutions of a fixed number of NHWC images: float32, or bfloat16
// summed in float32. x, dx, dy and the filter have the shape's type; dfilter,
// bias and dbias are float32; y is either.
//
//   auto convolution = OneDnnConvolution::Get(shape, 8, DType::kFloat32);
//   convolution->PackFilter(filter, packed);               // once per step
//   convolution->Forward(x, packed, bias, y, scratch);     // any thread
//
// Everything runs on the calling thread. Threads may share an object: the
// caller provides the memory that a call uses.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CPU_ONEDNN_CONVOLUTION_H_
#define LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CPU_ONEDNN_CONVOLUTION_H_

#include <cstdint>
#include <memory>

#include "reference/kernels/convolution/convolution_shape.h"

namespace lockstep::kernels_internal {

class OneDnnConvolution {
 public:
  // From a cache. Errors: Internal if oneDNN fails.
  static std::shared_ptr<const OneDnnConvolution> Get(
      const ConvolutionShape& shape, int64_t images, DType y_type);

  ~OneDnnConvolution();
  OneDnnConvolution(const OneDnnConvolution&) = delete;
  OneDnnConvolution& operator=(const OneDnnConvolution&) = delete;

  // Sizes of the arrays in floats.
  int64_t packed_filter_size() const;    // of PackFilter
  int64_t packed_for_data_size() const;  // of PackFilterForData
  int64_t scratch_size() const;          // of every call

  // Whether both use the same packed filter.
  bool PacksLike(const OneDnnConvolution& other) const;

  // Packs `filter` [P, Q, I, O] for the calls below.
  void PackFilter(const void* filter, float* packed) const;
  void PackFilterForData(const void* filter, float* packed) const;

  // REQUIRES: bias != nullptr.
  void Forward(const void* x, const float* packed, const float* bias, void* y,
               float* scratch) const;
  void BackwardData(const void* dy, const float* packed_for_data, void* dx,
                    float* scratch) const;
  // Sets dfilter [P, Q, I, O] and dbias [O], or adds to them.
  void BackwardFilter(const void* x, const void* dy, bool add, float* dfilter,
                      float* dbias, float* scratch) const;

 private:
  OneDnnConvolution(const ConvolutionShape& shape, int64_t images,
                    DType y_type);

  struct Primitives;
  std::unique_ptr<Primitives> primitives_;
  int64_t outputs_;
};

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CPU_ONEDNN_CONVOLUTION_H_
