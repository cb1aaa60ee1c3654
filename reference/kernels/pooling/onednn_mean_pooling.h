// Means over windows and their gradient by oneDNN, for float32 NHWC images.
//
//   const auto pooling = OneDnnMeanPooling::Get(shape, 8);
//   pooling->Forward(x, y);     // any thread
//   pooling->Backward(dy, dx);
//
// Everything runs on the calling thread.
#ifndef LOCKSTEP_REFERENCE_KERNELS_POOLING_ONEDNN_MEAN_POOLING_H_
#define LOCKSTEP_REFERENCE_KERNELS_POOLING_ONEDNN_MEAN_POOLING_H_

#include <cstdint>
#include <memory>

#include "reference/kernels/windows.h"

namespace lockstep::kernels_internal {

class OneDnnMeanPooling {
 public:
  // From a cache. Errors: Internal if oneDNN fails. REQUIRES: at least one
  // image and one channel.
  static std::shared_ptr<const OneDnnMeanPooling> Get(const PoolShape& shape,
                                                      int64_t images);

  ~OneDnnMeanPooling();
  OneDnnMeanPooling(const OneDnnMeanPooling&) = delete;
  OneDnnMeanPooling& operator=(const OneDnnMeanPooling&) = delete;

  // Writes to y the mean of each window's elements inside the image.
  void Forward(const float* x, float* y) const;
  // Writes dx: distributes each dy equally to its window's elements.
  void Backward(const float* dy, float* dx) const;

 private:
  OneDnnMeanPooling(const PoolShape& shape, int64_t images);

  struct Primitives;
  std::unique_ptr<const Primitives> primitives_;
};

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_POOLING_ONEDNN_MEAN_POOLING_H_
