#include "reference/tensor/text_bytes.h"

#include <algorithm>

#include "reference/base/error.h"
#include "reference/device/device.h"

namespace lockstep {
namespace {

template <typename T>
Tensor OnHost(const std::vector<T>& values) {
  return Tensor::FromVector(values, Shape{std::ssize(values)}, Device::Host());
}

[[noreturn]] void Refuse() {
  throw FailedPrecondition(
      "[UnpackTexts] wanted the bytes of texts and the end of each; do all "
      "workers run the same program?");
}

}  // namespace

Tensor BytesOf(std::string_view text) {
  return OnHost(std::vector<uint8_t>(text.begin(), text.end()));
}

std::string TextOf(const Tensor& bytes) {
  const std::vector<uint8_t> values = bytes.ToVector<uint8_t>();
  return {values.begin(), values.end()};
}

std::vector<Tensor> PackTexts(std::span<const std::string_view> texts) {
  std::string all;
  std::vector<int64_t> ends;
  for (const std::string_view text : texts) {
    all.append(text);
    ends.push_back(std::ssize(all));
  }
  return {BytesOf(all), OnHost(ends)};
}

std::vector<std::string> UnpackTexts(std::span<const Tensor> packed) {
  if (packed.size() != 2 || packed[0].dtype() != DType::kUInt8 ||
      packed[1].dtype() != DType::kInt64) {
    Refuse();
  }
  const std::string all = TextOf(packed[0]);
  std::vector<std::string> texts;
  size_t begin = 0;
  for (const int64_t end : packed[1].ToVector<int64_t>()) {
    if (end < static_cast<int64_t>(begin) || end > std::ssize(all)) Refuse();
    texts.push_back(all.substr(begin, static_cast<size_t>(end) - begin));
    begin = static_cast<size_t>(end);
  }
  return texts;
}

}  // namespace lockstep
