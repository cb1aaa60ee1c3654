// oneDNN's convolutions of a fixed number of images, NHWC: of float32, or of
// bfloat16 that is added up in float32. x, dx, dy and the filter are of the
// shape's type, dfilter, bias and dbias float32; y is either.
//
//   auto convolution = OneDnnConvolution::Get(shape, 8, DType::kFloat32);
//   convolution->PackFilter(filter, packed);               // once a step
//   convolution->Forward(x, packed, bias, y, scratch);     // any thread
//
// Everything runs on the calling thread alone. Objects are shared by threads;
// what a call works in is the caller's.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CPU_ONEDNN_CONVOLUTION_H_
#define LOCKSTEP_REFERENCE_KERNELS_CONVOLUTION_CPU_ONEDNN_CONVOLUTION_H_

#include <cstdint>
#include <memory>

#include "reference/kernels/convolution/convolution_shape.h"

namespace lockstep::kernels_internal {

class OneDnnConvolution {
 public:
  // From a cache. Errors: Internal when oneDNN refuses.
  static std::shared_ptr<const OneDnnConvolution> Get(
      const ConvolutionShape& shape, int64_t images, DType y_type);

  ~OneDnnConvolution();
  OneDnnConvolution(const OneDnnConvolution&) = delete;
  OneDnnConvolution& operator=(const OneDnnConvolution&) = delete;

  // Floats of each array.
  int64_t packed_filter_size() const;    // of PackFilter
  int64_t packed_for_data_size() const;  // of PackFilterForData
  int64_t scratch_size() const;          // of every call

  // What one packs the other can take.
  bool PacksLike(const OneDnnConvolution& other) const;

  // `filter` [P, Q, I, O] in the forms the calls below want.
  void PackFilter(const void* filter, float* packed) const;
  void PackFilterForData(const void* filter, float* packed) const;

  // `bias` must not be nullptr.
  void Forward(const void* x, const float* packed, const float* bias, void* y,
               float* scratch) const;
  void BackwardData(const void* dy, const float* packed_for_data, void* dx,
                    float* scratch) const;
  // Sets dfilter [P, Q, I, O] and dbias [O], or adds to what they hold.
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
