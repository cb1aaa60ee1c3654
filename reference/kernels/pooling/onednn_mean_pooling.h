// Means over windows and their gradient by oneDNN, on float32 images NHWC.
//
//   const auto pooling = OneDnnMeanPooling::Get(shape, 8);
//   pooling->Forward(x, y);     // any thread
//   pooling->Backward(dy, dx);
//
// Everything runs on the calling thread alone.
#ifndef LOCKSTEP_REFERENCE_KERNELS_POOLING_ONEDNN_MEAN_POOLING_H_
#define LOCKSTEP_REFERENCE_KERNELS_POOLING_ONEDNN_MEAN_POOLING_H_

#include <cstdint>
#include <memory>

#include "reference/kernels/windows.h"

namespace lockstep::kernels_internal {

class OneDnnMeanPooling {
 public:
  // From a cache. Errors: Internal when oneDNN refuses.
  // REQUIRES: at least one image and one channel.
  static std::shared_ptr<const OneDnnMeanPooling> Get(const PoolShape& shape,
                                                      int64_t images);

  ~OneDnnMeanPooling();
  OneDnnMeanPooling(const OneDnnMeanPooling&) = delete;
  OneDnnMeanPooling& operator=(const OneDnnMeanPooling&) = delete;

  // Writes to y the mean of each window's elements that lie in the image.
  void Forward(const float* x, float* y) const;
  // Writes dx: each dy in equal parts to the elements it is the mean of.
  void Backward(const float* dy, float* dx) const;

 private:
  OneDnnMeanPooling(const PoolShape& shape, int64_t images);

  struct Primitives;
  std::unique_ptr<const Primitives> primitives_;
};

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_POOLING_ONEDNN_MEAN_POOLING_H_
