// oneDNN's gradient of maxima over windows, for a number of float32 images,
// NHWC. The maxima themselves are ours, max_pool_loops.cc: oneDNN's lose NaN.
//
//   const auto unpooling = OneDnnUnpooling::Get(shape, 8);   // from a cache
//   unpooling->Run(dy, winners, dx);                         // any thread
//
// Everything runs on the calling thread alone; an image has the same bits in
// any number of them.
#ifndef LOCKSTEP_REFERENCE_KERNELS_POOLING_ONEDNN_UNPOOLING_H_
#define LOCKSTEP_REFERENCE_KERNELS_POOLING_ONEDNN_UNPOOLING_H_

#include <cstdint>
#include <memory>

#include "reference/kernels/windows.h"

namespace lockstep::kernels_internal {

class OneDnnUnpooling {
 public:
  // REQUIRES: nothing of it is empty. Errors: Internal when oneDNN refuses.
  static std::shared_ptr<const OneDnnUnpooling> Get(const PoolShape& shape,
                                                    int64_t images);

  ~OneDnnUnpooling();
  OneDnnUnpooling(const OneDnnUnpooling&) = delete;
  OneDnnUnpooling& operator=(const OneDnnUnpooling&) = delete;

  // Sets dx: each dy goes to the element that `winners`, as MaxPoolImage writes
  // them, names; nowhere for a kReluCut.
  void Run(const float* dy, const void* winners, float* dx) const;

 private:
  OneDnnUnpooling(const PoolShape& shape, int64_t images);

  struct Primitives;
  std::unique_ptr<Primitives> primitives_;
};

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_POOLING_ONEDNN_UNPOOLING_H_
