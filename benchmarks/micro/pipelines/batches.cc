#include <cstdint>

#include "benchmarks/micro/pipelines/image_rows.h"
#include "benchmarks/micro/pipelines/pipelines.h"
#include "reference/data/dataset.h"

namespace lockstep::benchmarks {
namespace {

int64_t SumOf(const Tensor& numbers) {
  int64_t sum = 0;
  for (const int64_t x : numbers.span<int64_t>()) sum += x;
  return sum;
}

// What a batch costs apart from its data.
void SmallBatches(benchmark::State& state, int64_t numbers, int64_t size) {
  const Dataset batches = Dataset::Range(numbers).Batch(size);
  int64_t read = 0;
  for (auto unused : state) {
    int64_t sum = 0;
    for (const Structure& batch : batches) {
      sum += SumOf(batch.leaf());
      ++read;
    }
    if (sum != SumTo(numbers)) state.SkipWithError("rows are wrong");
  }
  state.SetItemsProcessed(read);
}

void ShuffledImages(benchmark::State& state, int64_t images, int64_t size) {
  const Dataset batches = ImageRows(DType::kFloat32, images)
                              .Shuffle(images, /*seed=*/1)
                              .Batch(size);
  for (auto unused : state) {
    int64_t sum = 0;
    for (const Structure& batch : batches) sum += SumOf(batch[1].leaf());
    if (sum != SumTo(images)) state.SkipWithError("rows are wrong");
  }
  state.SetItemsProcessed(state.iterations() * images);
}

}  // namespace

void RegisterBatches() {
  constexpr int64_t kNumbers = 60'000;
  constexpr int64_t kImages = 60'000;
  RegisterWork(
      WorkName("small_batches").With("elements", kNumbers).With("batch", 6),
      SmallBatches, kNumbers, 6);
  RegisterWork(
      WorkName("shuffled_images").With("elements", kImages).With("batch", 128),
      ShuffledImages, kImages, 128);
}

}  // namespace lockstep::benchmarks
