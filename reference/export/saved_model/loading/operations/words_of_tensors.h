// For operations on words.
#ifndef LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_OPERATIONS_WORDS_OF_TENSORS_H_
#define LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_OPERATIONS_WORDS_OF_TENSORS_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "reference/base/error.h"
#include "reference/device/device.h"
#include "reference/export/saved_model/loading/operations/operation.h"
#include "reference/tensor/tensor.h"

namespace lockstep::export_internal {

inline constexpr double kWordBytes = sizeof(std::string);

// Errors: InvalidArgument unless the tensor has words.
inline std::span<const std::string> WordsIn(const Tensor& tensor) {
  if (tensor.dtype() == DType::kString) return tensor.span<std::string>();
  throw InvalidArgument("needs words, got {}", Describe(tensor));
}

inline double TextBytes(const Tensor& tensor) {
  double bytes = 0;
  for (const std::string& word : WordsIn(tensor)) {
    bytes += static_cast<double>(word.size());
  }
  return bytes;
}

// Words with their text.
inline double WordsBound(Tensors inputs) {
  return static_cast<double>(inputs[0].num_elements()) * kWordBytes +
         TextBytes(inputs[0]);
}

inline Tensor WordList(const std::vector<std::string>& words) {
  return Tensor::FromVector(words, Shape{std::ssize(words)}, Device::Host());
}

inline Tensor NumberList(const std::vector<int64_t>& numbers) {
  return Tensor::FromVector(numbers, Shape{std::ssize(numbers)},
                            Device::Host());
}

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_OPERATIONS_WORDS_OF_TENSORS_H_
