// Layers of words where they run: in a dataset, in a model, in replicas. The
// numbers are those of Keras 3.15.1 in a MirroredStrategy of TensorFlow 2.21.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/base/file_testing.h"
#include "reference/data/dataset.h"
#include "reference/distribute/distribute_testing.h"
#include "reference/preprocessing/words/hashing.h"
#include "reference/preprocessing/words/lookup.h"

namespace lockstep {
namespace {

using Words = std::vector<std::string>;

const Tensor kWords = Tensor::FromVector(Words{"a", "b", "z", "a", "b"});
const StringLookupOptions kOptions = {.vocabulary =
                                          Words{"a", "b", "c", "d", "f"}};

std::vector<int64_t> All(const Dataset& dataset) {
  std::vector<int64_t> all;
  for (const Structure& element : dataset) {
    const auto ids = element.leaf().ToVector<int64_t>();
    all.insert(all.end(), ids.begin(), ids.end());
  }
  return all;
}

TEST(WordsInDatasetTest, OfBatchesAndOfElements) {
  const StringLookup lookup(kOptions);
  const auto map = [&](const Structure& x) { return lookup(x); };
  const std::vector<int64_t> expected = {1, 2, 0, 1, 2};
  const Dataset words = Dataset::FromTensorSlices(kWords);
  EXPECT_EQ(All(words.Map(map).Batch(2)), expected);
  EXPECT_EQ(All(words.Batch(2).Map(map).Prefetch(2)), expected);
}

TEST(WordsInModelTest, Shapes) {
  const SymbolicTensor x = Input({2});
  EXPECT_EQ(StringLookup(kOptions)(x).shape(), Shape({kUnknownDim, 2}));
  EXPECT_EQ(Hashing(3, {.output_mode = OutputMode::kMultiHot})(x).shape(),
            Shape({kUnknownDim, 3}));
}

TEST(WordsInStrategyTest, ReplicasShareOneTable) {
  const std::unique_ptr<MirroredStrategy> strategy = MakeStrategy(4);
  const StringLookup lookup(kOptions);
  for (int round = 0; round < 20; ++round) {
    const PerReplica<Tensor> ids =
        strategy->Run([&] { return lookup(kWords); });
    for (int replica = 0; replica < 4; ++replica) {
      EXPECT_EQ(ids[replica].ToVector<int64_t>(),
                (std::vector<int64_t>{1, 2, 0, 1, 2}));
    }
  }
}

TEST(WordsInStrategyTest, ADatasetRunsTheLayerMeanwhile) {
  const std::unique_ptr<MirroredStrategy> strategy = MakeStrategy(2);
  const StringLookup lookup(kOptions);
  const Dataset ids = Dataset::FromTensorSlices(kWords).Map(
      [&](const Structure& x) { return lookup(x); });
  const PerReplica<int64_t> sums = strategy->Run([&] {
    int64_t sum = 0;
    for (const int64_t id : All(ids.Prefetch(2))) sum += id;
    return sum;
  });
  EXPECT_EQ(sums[0], 6);
  EXPECT_EQ(sums[1], 6);
}

// Some steps are made ahead. The first one after these is an error.
TEST(WordsInStrategyTest, AChangedFileIsAnErrorOfTheStep) {
  const TestFolder folder;
  WriteWholeFile(folder / "words.txt", "a\nb\n");
  const std::unique_ptr<MirroredStrategy> strategy = MakeStrategy(2);
  const StringLookup lookup({.vocabulary_file = folder / "words.txt"});
  DistributedIterator steps =
      strategy
          ->DistributeDataset(
              Dataset::FromTensorSlices(kWords).Repeat().Batch(2).Map(
                  [&](const Structure& x) { return lookup(x); }))
          .MakeIterator();
  EXPECT_EQ(ToString(steps.GetNext()[0].leaf()), "[1]");
  std::filesystem::resize_file(folder / "words.txt", 2);
  const auto read_ahead = [&] {
    for (int step = 0; step < 10; ++step) steps.GetNext();
  };
  ExpectError(read_ahead, Code::kFailedPrecondition, "was changed");
  ExpectError([&] { steps.GetNext(); }, Code::kFailedPrecondition,
              "was changed");
}

TEST(WordsInStrategyTest, AdaptIsRefusedInRun) {
  const std::unique_ptr<MirroredStrategy> strategy = MakeStrategy(2);
  const StringLookup lookup;
  const auto adapt = [&] {
    lookup.Adapt(kWords);
    return kWords;
  };
  EXPECT_EQ(CodeOf([&] { strategy->Run(adapt); }), Code::kFailedPrecondition);
  {
    const StrategyScope scope = strategy->Scope();
    lookup.Adapt(kWords);
  }
  EXPECT_EQ(lookup.GetVocabulary(), (Words{"[UNK]", "b", "a", "z"}));
}

}  // namespace
}  // namespace lockstep
