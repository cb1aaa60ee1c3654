// Texts as tensors of numbers, which workers can exchange.
//
//   const Tensor bytes = BytesOf("cat");   // uint8, on the host
//   TextOf(bytes);                         // "cat"
//
//   const std::vector<Tensor> packed = PackTexts(words);
//   UnpackTexts(packed);                   // the words
#ifndef LOCKSTEP_REFERENCE_TENSOR_TEXT_BYTES_H_
#define LOCKSTEP_REFERENCE_TENSOR_TEXT_BYTES_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/tensor/tensor.h"

namespace lockstep {

// The bytes of a text.
Tensor BytesOf(std::string_view text);
// REQUIRES: made by BytesOf.
std::string TextOf(const Tensor& bytes);

// Two tensors: the bytes of all texts, and where each of them ends.
std::vector<Tensor> PackTexts(std::span<const std::string_view> texts);
// Errors: FailedPrecondition for tensors that PackTexts does not make.
std::vector<std::string> UnpackTexts(std::span<const Tensor> packed);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TENSOR_TEXT_BYTES_H_
