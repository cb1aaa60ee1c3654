#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "reference/base/error.h"
#include "reference/base/file_testing.h"
#include "reference/data/dataset.h"
#include "reference/data/ragged/ragged_batch.h"

namespace lockstep {
namespace {

const auto kSame = [](const Structure& element) { return element; };
const auto kIsEven = [](const Structure& element) {
  return element.leaf().item<int64_t>() % 2 == 0;
};

// What follows the spec and the cardinality.
std::string TreeOf(const Dataset& dataset) {
  std::string text = ToString(dataset);
  for (int line = 0; line < 3; ++line) text.erase(0, text.find('\n') + 1);
  return text;
}

TEST(DatasetTextTest, ShowsSpecCardinalityAndOperations) {
  EXPECT_EQ(ToString(Dataset::Range(6).Shuffle(6, 1).Batch(4)),
            "Dataset\n"
            "element_spec: int64 (None,)\n"
            "cardinality: 2\n"
            "Batch(size=4)\n"
            "  Shuffle(buffer_size=6, seed=1)\n"
            "    Range(stop=6)");
  const Dataset random = Dataset::Random(3);
  EXPECT_EQ(ToString(Dataset::Zip({random, random.Shuffle(2)})),
            "Dataset\n"
            "element_spec: (int64 (), int64 ())\n"
            "cardinality: infinite\n"
            "Zip\n"
            "  #1 Random(seed=3)\n"
            "  Shuffle(buffer_size=2)\n"
            "    #1");
  EXPECT_EQ(ToString(Dataset::Range(3).Filter(kIsEven)),
            "Dataset\n"
            "element_spec: int64 ()\n"
            "cardinality: unknown\n"
            "Filter\n"
            "  Range(stop=3)");
}

TEST(DatasetTextTest, ShowsArgumentsThatAreNotTheDefault) {
  EXPECT_EQ(
      TreeOf(Dataset::Range(1, 10, 2)
                 .Take(3)
                 .Skip(1)
                 .Shard(2, 1)
                 .Repeat()
                 .Repeat(2)
                 .Shuffle(4, std::nullopt, false)
                 .Map(kSame, {.num_parallel_calls = 2})
                 .Map(kSame,
                      {.num_parallel_calls = kAutotune, .deterministic = false})
                 .Map(kSame)
                 .Cache()
                 .Cache("kept")
                 .PaddedBatch(4, 0.5)
                 .Unbatch()
                 .Batch(4, true)
                 .AssertCardinality(5)
                 .Prefetch(2)
                 .WithOptions({.element_log = "read"})),
      "Options(auto_shard_policy=AUTO, element_log=read)\n"
      "  Prefetch(buffer_size=2)\n"
      "    AssertCardinality(count=5)\n"
      "      Batch(size=4, drop_remainder=true)\n"
      "        Unbatch\n"
      "          PaddedBatch(size=4, padding=0.5)\n"
      "            FileCache(file=kept)\n"
      "              Cache\n"
      "                Map\n"
      "                  Map(num_parallel_calls=automatic, "
      "deterministic=false)\n"
      "                    Map(num_parallel_calls=2)\n"
      "                      Shuffle(buffer_size=4, "
      "reshuffle_each_iteration=false)\n"
      "                        Repeat(count=2)\n"
      "                          Repeat\n"
      "                            Shard(num_shards=2, index=1)\n"
      "                              Skip(count=1)\n"
      "                                Take(count=3)\n"
      "                                  Range(start=1, stop=10, step=2)");
}

TEST(DatasetTextTest, ShowsGroupsAndInterleavedDatasets) {
  const auto batch = [](const Dataset& window) { return window.Batch(2); };
  const auto repeat = [](const Structure& element) {
    return Dataset::FromTensors(element).Repeat(2);
  };
  EXPECT_EQ(TreeOf(Dataset::Range(6)
                       .Window({.size = 4, .shift = 1, .stride = 2}, batch)
                       .Unique()
                       .IgnoreErrors()
                       .FlatMap(repeat)
                       .Interleave(repeat, {.cycle_length = 2})),
            "Interleave(cycle_length=2)\n"
            "  FlatMap\n"
            "    IgnoreErrors\n"
            "      Unique\n"
            "        Window(size=4, shift=1, stride=2)\n"
            "          Range(stop=6)");
}

TEST(DatasetTextTest, ShowsWhatRandomDraws) {
  EXPECT_EQ(TreeOf(Dataset::Random()), "Random");
  EXPECT_EQ(TreeOf(Dataset::Random(3, false)), "Random(seed=3)");
  EXPECT_EQ(TreeOf(Dataset::Random(3, true)),
            "Random(seed=3, rerandomize_each_iteration=true)");
  EXPECT_EQ(TreeOf(Dataset::Random(std::nullopt, false)),
            "Random(rerandomize_each_iteration=false)");
}

TEST(DatasetTextTest, ShowsWhatBatchesAreMadeOf) {
  const Dataset vectors = Dataset::Range(3).Batch(2);
  EXPECT_EQ(TreeOf(RaggedBatch(vectors, 4)),
            "RaggedBatch(size=4)\n"
            "  Batch(size=2)\n"
            "    Range(stop=3)");
  EXPECT_EQ(TreeOf(RaggedBatch(vectors, 4, /*drop_remainder=*/true)),
            "RaggedBatch(size=4, drop_remainder=true)\n"
            "  Batch(size=2)\n"
            "    Range(stop=3)");
  EXPECT_EQ(TreeOf(vectors.PaddedBatch(4, 0, /*drop_remainder=*/true)),
            "PaddedBatch(size=4, drop_remainder=true)\n"
            "  Batch(size=2)\n"
            "    Range(stop=3)");
}

TEST(DatasetTextTest, ShowsSavedDatasets) {
  const TestFolder folder;
  Dataset::Range(3).Save(folder / "kept", {.shards = 2});
  EXPECT_EQ(TreeOf(Dataset::Load(folder / "kept")),
            "Load(folder=" + (folder / "kept") +
                ")\n"
                "  Interleave(cycle_length=2)\n"
                "    Range(stop=2)");
}

TEST(DatasetTextTest, ShowsFiles) {
  EXPECT_EQ(TreeOf(Dataset::FromTextLines({"a", "b"}, Compression::kGzip)),
            "TextLines(files=[a, b], compression=GZIP)");
  EXPECT_EQ(TreeOf(Dataset::FromTFRecords({"a", "b", "c", "d", "e"})),
            "TFRecords(files=[a, b, c, d, ... 5 in all])");
  EXPECT_EQ(TreeOf(Dataset::FromFixedLengthRecords(
                {"a"}, {.record_bytes = 3, .header_bytes = 1})),
            "FixedLengthRecords(files=[a], record_bytes=3, header_bytes=1)");
}

TEST(DatasetTextTest, ShowsWhatSeveralReadOnce) {
  const Dataset numbers = Dataset::Range(3);
  const Dataset batches = numbers.Batch(2);
  EXPECT_EQ(TreeOf(Dataset::Zip({batches, numbers.Cache(), batches})),
            "Zip\n"
            "  #1 Batch(size=2)\n"
            "    #2 Range(stop=3)\n"
            "  Cache\n"
            "    #2\n"
            "  #1");
  EXPECT_EQ(TreeOf(Dataset::ChooseFromDatasets({numbers, numbers}, numbers,
                                               /*stop_on_empty=*/false)),
            "ChooseFromDatasets(stop_on_empty=false)\n"
            "  #1 Range(stop=3)\n"
            "  #1\n"
            "  #1");
}

TEST(DatasetTextTest, AnErrorOfAFunctionTakesThePlaceOfTheSpec) {
  const auto fail = [](const Structure&) -> Structure {
    throw InvalidArgument("[Parse] no");
  };
  EXPECT_EQ(ToString(Dataset::Range(3).Map(fail)),
            "Dataset\n"
            "element_spec: unknown: [Map] the function fails on zeros, so give "
            "its output_spec: [Parse] no\n"
            "cardinality: 3\n"
            "Map\n"
            "  Range(stop=3)");
}

}  // namespace
}  // namespace lockstep
