// Elements as words of their size, for kernels that only move them.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_WORD_OF_H_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_WORD_OF_H_

#include <cstddef>
#include <cstdint>

#include "reference/base/check.h"

namespace lockstep::cuda {

// Calls body.operator()<Word>() with the unsigned type of that many bytes.
template <class Body>
void VisitWord(size_t bytes, const Body& body) {
  switch (bytes) {
    case 1:
      return body.template operator()<uint8_t>();
    case 2:
      return body.template operator()<uint16_t>();
    case 4:
      return body.template operator()<uint32_t>();
    default:
      LOCKSTEP_CHECK(bytes == 8);
      return body.template operator()<uint64_t>();
  }
}

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_WORD_OF_H_
