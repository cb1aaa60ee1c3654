#include <cstring>

#include "reference/device/cuda/fill.h"
#include "reference/device/cuda/for_each.cuh"

namespace lockstep::cuda {

template <typename Word>
cudaError_t FillWords(void* to, const void* value, int64_t count,
                      cudaStream_t stream) {
  Word word;
  std::memcpy(&word, value, sizeof(word));
  Word* words = static_cast<Word*>(to);
  return ForEach(count, stream, [=] __device__(int64_t i) { words[i] = word; });
}

cudaError_t Fill(void* to, const void* value, size_t value_bytes, int64_t count,
                 cudaStream_t stream) {
  switch (value_bytes) {
    case 1:
      return FillWords<uint8_t>(to, value, count, stream);
    case 2:
      return FillWords<uint16_t>(to, value, count, stream);
    case 4:
      return FillWords<uint32_t>(to, value, count, stream);
    case 8:
      return FillWords<uint64_t>(to, value, count, stream);
    default:
      return cudaErrorInvalidValue;
  }
}

}  // namespace lockstep::cuda
