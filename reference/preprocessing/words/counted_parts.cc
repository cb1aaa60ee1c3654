#include "reference/preprocessing/words/counted_parts.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "reference/autodiff/distribution_context.h"
#include "reference/base/check.h"
#include "reference/preprocessing/adaptation.h"
#include "reference/tensor/host_tensor.h"
#include "reference/tensor/text_bytes.h"

namespace lockstep::words_internal {
namespace {

using preprocessing_internal::ReadParts;
using preprocessing_internal::ReadSame;

bool Alone() { return DistributionContext::Current().num_workers() == 1; }

void Merge(std::span<const Tensor> tensors, WordCounts& all) {
  LOCKSTEP_CHECK(tensors.size() == 3);
  const std::vector<std::string> texts = UnpackTexts(tensors.first(2));
  const std::vector<int64_t> numbers = tensors[2].ToVector<int64_t>();
  LOCKSTEP_CHECK(numbers.size() == 2 * texts.size() + 2);
  std::vector<WordCount> words;
  for (size_t i = 0; i < texts.size(); ++i) {
    words.push_back({texts[i], numbers[2 * i], numbers[2 * i + 1]});
  }
  all.Merge(words, numbers[2 * texts.size()]);
}

}  // namespace

// The words, and a row for each with its counts; the last row has the number of
// documents.
std::vector<Tensor> ToTensors(const WordCounts& counts) {
  const std::vector<WordCount> words = counts.words();
  std::vector<std::string_view> texts;
  Tensor numbers = EmptyOnHost(Shape{std::ssize(words) + 1, 2}, DType::kInt64);
  auto* row = numbers.mutable_data<int64_t>();
  for (const WordCount& word : words) {
    texts.push_back(word.word);
    *row++ = word.count;
    *row++ = word.documents;
  }
  *row++ = counts.documents();
  *row = 0;
  std::vector<Tensor> tensors = PackTexts(texts);
  tensors.push_back(numbers);
  return tensors;
}

WordCounts MergeCounts(const std::vector<std::vector<Tensor>>& parts) {
  WordCounts all;
  for (const std::vector<Tensor>& part : parts) Merge(part, all);
  return all;
}

WordCounts CountParts(
    const std::string& layer, const Dataset& data,
    const std::function<WordCounts(const Dataset& part)>& count) {
  if (Alone()) return count(data);
  return MergeCounts(ReadParts({layer, layer}, data, [&](const Dataset& part) {
    return ToTensors(count(part));
  }));
}

WordCounts CountSame(const std::string& layer,
                     const std::function<WordCounts()>& count) {
  if (Alone()) return count();
  return MergeCounts(
      {ReadSame({layer, layer}, [&] { return ToTensors(count()); })});
}

}  // namespace lockstep::words_internal
