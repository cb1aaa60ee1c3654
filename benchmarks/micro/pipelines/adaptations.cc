#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "benchmarks/micro/pipelines/pipelines.h"
#include "reference/base/random.h"
#include "reference/data/dataset.h"
#include "reference/preprocessing/numeric/normalization.h"
#include "reference/preprocessing/words/lookup.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::benchmarks {
namespace {

constexpr int64_t kElements = 10'000'000;
constexpr int64_t kColumns = 10;
constexpr int64_t kWords = 50'000;
constexpr int64_t kTokens = 20'000;
constexpr int64_t kBatches = 1000;

// Rows of which column c has the numbers 0..9 equally often, plus c.
Tensor Numbers() {
  Tensor numbers = EmptyOnHost(Shape{kElements / kColumns, kColumns});
  auto* next = numbers.mutable_data<float>();
  for (int64_t row = 0; row < kElements / kColumns; ++row) {
    for (int64_t c = 0; c < kColumns; ++c) {
      *next++ = static_cast<float>(row % 10 + c);
    }
  }
  return numbers;
}

// Words whose frequency falls as 1 / rank, in random order: the inverse of the
// distribution function of a density 1 / x.
Tensor Words() {
  Tensor words = EmptyOnHost(Shape{kElements}, DType::kString);
  Random random(1);
  const double scale = std::log(static_cast<double>(kWords)) / UINT32_MAX;
  auto* next = words.mutable_data<std::string>();
  for (int64_t i = 0; i < kElements; ++i) {
    const double rank = std::exp(scale * random.Next32());
    *next++ = "word" + std::to_string(static_cast<int64_t>(rank));
  }
  return words;
}

template <typename Layer>
void AdaptTo(const Layer& layer, const Tensor& data, bool batched) {
  if (batched) {
    layer.Adapt(Dataset::FromTensorSlices(Structure(data))
                    .Batch(data.dim(0) / kBatches));
  } else {
    layer.Adapt(data);
  }
}

void AdaptNormalization(benchmark::State& state, bool batched) {
  const Tensor numbers = Numbers();
  for (auto unused : state) {
    const Normalization layer;
    AdaptTo(layer, numbers, batched);
    const Tensor mean = layer.variables().front()->Read();
    for (int64_t c = 0; c < kColumns; ++c) {
      if (mean.at<float>(c) != 4.5f + static_cast<float>(c)) {
        state.SkipWithError("the mean is wrong");
      }
    }
  }
  state.SetItemsProcessed(state.iterations() * kElements);
}

void AdaptStringLookup(benchmark::State& state, bool batched) {
  const Tensor words = Words();
  for (auto unused : state) {
    const StringLookup layer({.max_tokens = kTokens});
    AdaptTo(layer, words, batched);
    const std::vector<std::string> vocabulary = layer.GetVocabulary();
    if (std::ssize(vocabulary) != kTokens || vocabulary[1] != "word1") {
      state.SkipWithError("the vocabulary is wrong");
    }
  }
  state.SetItemsProcessed(state.iterations() * kElements);
}

}  // namespace

void RegisterAdaptations() {
  for (const bool batched : {false, true}) {
    const auto name = [&](std::string_view work) {
      return WorkName(work)
          .With("elements", kElements)
          .With("data", batched ? "dataset" : "tensor");
    };
    RegisterWork(name("adapt_normalization"), AdaptNormalization, batched);
    RegisterWork(name("adapt_string_lookup"), AdaptStringLookup, batched);
  }
}

}  // namespace lockstep::benchmarks
