// Memory of pipelines, counted as the bytes that are allocated and not freed.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "reference/base/file_testing.h"
#include "reference/data/dataset_testing.h"
#include "reference/data/tf_record_writer.h"
#include "reference/device/device.h"
#include "reference/device/memory_testing.h"

namespace lockstep {
namespace {

// What is in use: unused blocks of the pool do not count.
int64_t BytesInUse() {
  Device::Host().pool().Trim();
  return BytesHeld();
}

#define SKIP_IF_NOT_COUNTED()                                       \
  if (BytesHeld() == 0) {                                           \
    GTEST_SKIP() << "a sanitizer allocates by itself: not counted"; \
  }

// Images of MNIST's size with their labels, as a parser makes them.
Dataset Images(int64_t count) {
  return Generated(count).Map([](const Structure& number) {
    return Structure::Tuple(
        {Tensor::Zeros(Shape{28, 28, 1}, DType::kFloat32, Device::Host()),
         number.leaf()});
  });
}

// The bytes of `count` elements in a list that has room for just them.
int64_t BytesOfElements(const Dataset& dataset, int64_t count) {
  std::vector<Structure> elements;
  const int64_t before = BytesInUse();
  elements.reserve(static_cast<size_t>(count));
  for (const Structure& element : dataset) elements.push_back(element);
  return BytesInUse() - before;
}

// What a pass over a shuffle with a full buffer of `size` elements holds.
int64_t BytesOfShuffle(const Dataset& dataset, int64_t size) {
  const Dataset shuffled = dataset.Shuffle(size, /*seed=*/1);
  const int64_t before = BytesInUse();
  DatasetIterator iterator = shuffled.MakeIterator();
  iterator.GetNext();
  return BytesInUse() - before;
}

void ExpectElementsAndFivePercent(const Dataset& dataset, int64_t count) {
  const int64_t elements = BytesOfElements(dataset, count);
  const int64_t buffer = BytesOfShuffle(dataset, count);
  EXPECT_LE(buffer, elements + elements / 20);
  EXPECT_GE(buffer, elements - elements / 20);  // that it is the buffer
}

TEST(PipelineMemoryTest, AShuffleBufferTakesItsElementsAndFivePercent) {
  SKIP_IF_NOT_COUNTED();
  // Sizes just above powers of two, where a list that doubles is half empty.
  ExpectElementsAndFivePercent(Images(4100), 4100);
  ExpectElementsAndFivePercent(Generated(33'000), 33'000);
}

// The dataset is shorter than the buffer.
TEST(PipelineMemoryTest, AShuffleBufferThatIsNotFilledTakesItsElements) {
  SKIP_IF_NOT_COUNTED();
  const int64_t elements = BytesOfElements(Generated(33'000), 33'000);
  const int64_t buffer = BytesOfShuffle(Generated(33'000), 1'000'000'000);
  EXPECT_LE(buffer, elements + elements / 20);
}

// Rows of tensors stay where they are: the buffer has their numbers.
TEST(PipelineMemoryTest, AShuffleOfRowsTakesTheirNumbers) {
  SKIP_IF_NOT_COUNTED();
  constexpr int64_t kRows = 33'000;
  const Dataset rows = Dataset::FromTensorSlices(
      {Structure(Tensor::Zeros(Shape{kRows, 16}, DType::kFloat32))});
  EXPECT_LE(BytesOfShuffle(rows, kRows), kRows * 8 * 105 / 100 + 32'768);
}

Dataset Doubled(const Dataset& numbers, int64_t calls) {
  return numbers.Map(
      [](const Structure& x) {
        return Structure::Tuple({x, x});
      },
      {.num_parallel_calls = calls});
}

struct Pipeline {
  std::string name;
  Dataset dataset;
};

std::vector<Pipeline> Pipelines(const std::vector<std::string>& files,
                                const std::string& cache) {
  const auto read = [](const Structure& file) {
    return Dataset::FromTFRecords({file.leaf().item<std::string>()});
  };
  const Dataset names = Dataset::FromTensorSlices(
      Structure(Tensor::FromVector<std::string>(files)));
  const Dataset records =
      names.Interleave(read, {.cycle_length = 2, .num_parallel_calls = 2});
  return {
      {"shuffle", Images(200).Shuffle(100, /*seed=*/1).Batch(8)},
      {"rows", Dataset::Range(2000).Shuffle(1000).Batch(8)},
      {"parallel_map", Doubled(Images(200), 4).Batch(8)},
      {"autotune", Doubled(Images(200), kAutotune).Batch(8).Prefetch(2)},
      {"interleave", records.Batch(8)},
      {"cache", Images(200).Cache().Shuffle(200).Batch(8)},
      {"file_cache", Images(200).Cache(cache).Batch(8)},
  };
}

int64_t ReadEpoch(const Dataset& dataset) {
  int64_t elements = 0;
  for (const Structure& element : dataset) elements += element.size() > 0;
  return elements;
}

// After the first epochs, which fill caches and the system's own structures,
// nothing is added. What threads that have ended leave varies by some thousand
// bytes; one number kept from each epoch would be 40,000.
TEST(PipelineMemoryTest, MemoryIsFlatOverAHundredEpochs) {
  SKIP_IF_NOT_COUNTED();
  const TestFolder folder;
  std::vector<std::string> files;
  for (int file = 0; file < 3; ++file) {
    files.push_back(folder / std::to_string(file));
    TFRecordWriter writer(files.back());
    for (int i = 0; i < 30; ++i) writer.Write(std::string(1000, 'x'));
    writer.Close();
  }
  for (const Pipeline& pipeline : Pipelines(files, folder / "cache")) {
    int64_t early = 0;
    for (int epoch = 1; epoch <= 100; ++epoch) {
      ReadEpoch(pipeline.dataset);
      if (epoch == 10) early = BytesInUse();
    }
    const int64_t late = BytesInUse();
    EXPECT_LE(late - early, 16'384) << pipeline.name;
    RecordProperty(pipeline.name + "_bytes_added",
                   std::to_string(late - early));
  }
}

}  // namespace
}  // namespace lockstep
