// Layers of words where they run: in a dataset, in a model, in replicas. The
// numbers are those of Keras 3.15.1 in a MirroredStrategy of TensorFlow 2.21.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/base/file_testing.h"
#include "reference/base/log.h"
#include "reference/data/dataset.h"
#include "reference/distribute/distribute_testing.h"
#include "reference/distribute/simulated_pod/simulated_tpu_strategy.h"
#include "reference/preprocessing/numeric/normalization.h"
#include "reference/preprocessing/numeric/rescaling.h"
#include "reference/preprocessing/words/category_encoding.h"
#include "reference/preprocessing/words/hashing.h"
#include "reference/preprocessing/words/lookup.h"
#include "reference/preprocessing/words/text_vectorization.h"

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

// The rule of the document on distributed input for TPUs.
TEST(WordsOnASimulatedPodTest, BelongInTheDataset) {
  const LogCapture quiet;
  SetLogicalCpuDevices(2);
  SimulatedTpuStrategy pod({.hosts = 2, .cores_per_host = 1});
  const StrategyScope scope = pod.Scope();
  const Tensor numbers = Tensor::FromVector<int64_t>({1, 0});
  const std::vector<std::pair<Layer, Tensor>> layers = {
      {StringLookup(kOptions), kWords},
      {IntegerLookup({.vocabulary = std::vector<int64_t>{7}}), numbers},
      {TextVectorization({.vocabulary = Words{"a"}}), kWords},
      {Hashing(3), numbers},
      {CategoryEncoding(3), numbers},
  };
  for (const auto& [layer, x] : layers) {
    const auto call = [&layer = layer, &x = x] { return layer(x); };
    ExpectError([&] { pod.Run(call); }, Code::kUnimplemented,
                "[" + layer.name() + "] computes with strings or tables");
    call();  // outside Run the host computes
  }
  const StringLookup lookup(kOptions);
  const Dataset words =
      Dataset::FromTensorSlices(Tensor::FromVector(Words{"a", "b", "z", "a"}));
  const Dataset ids =
      words.Batch(2, /*drop_remainder=*/true).Map([&](const Structure& x) {
        return lookup(x);
      });
  std::vector<int64_t> seen;
  for (const auto& step : pod.DistributeDataset(ids)) {
    for (const Structure& part : step) {
      seen.push_back(part.leaf().ToVector<int64_t>().at(0));
    }
  }
  EXPECT_EQ(seen, (std::vector<int64_t>{1, 2, 0, 1}));
}

TEST(WordsOnASimulatedPodTest, NumbersMayBeInTheStep) {
  const LogCapture quiet;
  SetLogicalCpuDevices(2);
  SimulatedTpuStrategy pod({.hosts = 1, .cores_per_host = 2});
  const StrategyScope scope = pod.Scope();
  const Normalization normalization({.mean = Row({2}), .variance = Row({4})});
  const Rescaling rescaling(0.5, 1);
  const Tensor x = Tensor::FromVector<float>({2, 6}, Shape{2, 1});
  const auto normalized = pod.Run([&] { return normalization(x); });
  const auto rescaled = pod.Run([&] { return rescaling(x); });
  for (int replica = 0; replica < 2; ++replica) {
    EXPECT_EQ(normalized[replica].ToVector<float>(),
              (std::vector<float>{0, 2}));
    EXPECT_EQ(rescaled[replica].ToVector<float>(), (std::vector<float>{2, 4}));
  }
}

}  // namespace
}  // namespace lockstep
