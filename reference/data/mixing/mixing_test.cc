// Expected values: TensorFlow 2.21.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "reference/data/dataset_testing.h"
#include "reference/data/sharding/auto_shard.h"

namespace lockstep {
namespace {

using Numbers = std::vector<int64_t>;

Dataset Choices(const Numbers& choices) {
  return Dataset::FromTensorSlices(Tensor::FromVector<int64_t>(choices));
}

// 0 to 2, and 100 to 104.
std::vector<Dataset> TwoDatasets() {
  return {Dataset::Range(3), Dataset::Range(100, 105)};
}

// 0 to 4, and 100 to 104.
std::vector<Dataset> EqualDatasets() {
  return {Dataset::Range(5), Dataset::Range(100, 105)};
}

TEST(ChooseFromDatasetsTest, TakesTurnsAsChosen) {
  const Dataset choices = Choices({0, 1, 0, 1, 0, 1, 0, 0, 1});
  const Dataset chosen = Dataset::ChooseFromDatasets(TwoDatasets(), choices);
  EXPECT_EQ(ReadNumbers(chosen), (Numbers{0, 100, 1, 101, 2, 102}));
  EXPECT_EQ(ReadNumbers(chosen.Repeat(2)).size(), 12u);
  EXPECT_EQ(chosen.cardinality(), kUnknownCardinality);
  EXPECT_EQ(ReadNumbers(Dataset::ChooseFromDatasets(TwoDatasets(), choices,
                                                    /*stop_on_empty=*/false)),
            (Numbers{0, 100, 1, 101, 2, 102, 103}));
}

TEST(ChooseFromDatasetsTest, AnEmptyDatasetEndsItOrIsLeftOut) {
  const std::vector<Dataset> datasets = {Dataset::Range(0),
                                         Dataset::Range(100, 105)};
  const Dataset choices = Choices({0, 1, 0, 1, 0, 1, 0, 0, 1});
  EXPECT_EQ(ReadNumbers(Dataset::ChooseFromDatasets(datasets, choices)),
            Numbers{});
  EXPECT_EQ(ReadNumbers(Dataset::ChooseFromDatasets(datasets, choices, false)),
            (Numbers{100, 101, 102, 103}));
}

TEST(ChooseFromDatasetsTest, ChoicesMustNameADataset) {
  DatasetIterator chosen =
      Dataset::ChooseFromDatasets(TwoDatasets(), Choices({0, 2, 1}))
          .MakeIterator();
  EXPECT_EQ(ToText(chosen.GetNext()), "0");
  ExpectError([&] { chosen.GetNext(); }, Code::kInvalidArgument,
              "[ChooseFromDatasets] the choice 2 is none of 0 to 1");
  EXPECT_EQ(ToText(chosen.GetNext()), "100");
  ExpectError(
      [] {
        Dataset::ChooseFromDatasets(
            TwoDatasets(),
            Dataset::FromTensorSlices(Tensor::FromVector<float>({0})));
      },
      Code::kInvalidArgument,
      "[ChooseFromDatasets] a choice must be int64 (), got float32 ()");
  ExpectError([] { Dataset::ChooseFromDatasets({}, Choices({0})); },
              Code::kInvalidArgument,
              "[ChooseFromDatasets] there are no datasets");
}

TEST(ChooseFromDatasetsTest, DatasetsMustFit) {
  const Dataset floats =
      Dataset::FromTensorSlices(Tensor::FromVector<float>({0}));
  ExpectError(
      [&] {
        Dataset::ChooseFromDatasets({Dataset::Range(2), floats}, Choices({0}))
            .element_spec();
      },
      Code::kInvalidArgument, "[ChooseFromDatasets]");
}

TEST(SampleFromDatasetsTest, DrawsAsTensorFlow) {
  const Dataset even =
      Dataset::SampleFromDatasets(EqualDatasets(), {.seed = 42});
  const Numbers drawn = {100, 101, 102, 103, 0, 104, 1, 2, 3, 4};
  EXPECT_EQ(ReadNumbers(even), drawn);
  EXPECT_EQ(ReadNumbers(even), drawn);  // in each pass
  EXPECT_EQ(ReadNumbers(Dataset::SampleFromDatasets(
                EqualDatasets(), {.weights = {0.8f, 0.2f}, .seed = 7})),
            (Numbers{0, 1, 100, 2, 3, 4, 101, 102, 103, 104}));
  EXPECT_EQ(ReadNumbers(Dataset::SampleFromDatasets(
                EqualDatasets(), {.seed = 7, .stop_on_empty = true})),
            (Numbers{100, 0, 101, 1, 2, 102, 103, 104, 3}));
}

TEST(SampleFromDatasetsTest, DrawsOfThree) {
  std::vector<Dataset> datasets = EqualDatasets();
  datasets.push_back(Dataset::Range(200, 203));
  EXPECT_EQ(ReadNumbers(Dataset::SampleFromDatasets(datasets, {.seed = -1})),
            (Numbers{100, 101, 0, 1, 102, 200, 2, 3, 4, 201, 103, 202, 104}));
  EXPECT_EQ(ReadNumbers(Dataset::SampleFromDatasets(
                datasets, {.weights = {0.5f, 0, 1.5f}, .seed = 3})),
            (Numbers{200, 201, 202, 0, 1, 2, 3, 4}));
}

TEST(SampleFromDatasetsTest, WithoutASeedEachElementComesOnce) {
  Numbers drawn = ReadNumbers(Dataset::SampleFromDatasets(EqualDatasets()));
  std::ranges::sort(drawn);
  EXPECT_EQ(drawn, (Numbers{0, 1, 2, 3, 4, 100, 101, 102, 103, 104}));
}

TEST(SampleFromDatasetsTest, OneOrNoneIsLeft) {
  EXPECT_EQ(ReadNumbers(Dataset::SampleFromDatasets(EqualDatasets(),
                                                    {.weights = {0, 0}})),
            Numbers{});
  EXPECT_EQ(ReadNumbers(Dataset::SampleFromDatasets(EqualDatasets(),
                                                    {.weights = {1, 0}})),
            (Numbers{0, 1, 2, 3, 4}));
}

TEST(SampleFromDatasetsTest, CardinalityIsUnknownUnlessOneIsEndless) {
  const Dataset numbers = Dataset::Range(3);
  EXPECT_EQ(Dataset::SampleFromDatasets({numbers, numbers}).cardinality(),
            kUnknownCardinality);
  EXPECT_EQ(
      Dataset::SampleFromDatasets({numbers, numbers.Repeat()}).cardinality(),
      kInfiniteCardinality);
}

TEST(SampleFromDatasetsTest, WeightsMustFit) {
  ExpectError(
      [] { Dataset::SampleFromDatasets(EqualDatasets(), {.weights = {1}}); },
      Code::kInvalidArgument,
      "[SampleFromDatasets] wanted a weight for each of 2 datasets, got 1");
  ExpectError(
      [] {
        Dataset::SampleFromDatasets(EqualDatasets(), {.weights = {1, -1}});
      },
      Code::kInvalidArgument,
      "[SampleFromDatasets] a weight must be finite and not negative, got -1");
}

// Each worker's part of two steps of two replicas.
Numbers PartOf(int64_t worker, const Dataset& dataset) {
  return ReadNumbers(AutoShard(
      dataset.Batch(5), {.workers = 2, .worker = worker, .replicas = 2}));
}

TEST(SampleFromDatasetsTest, WorkersDivideTheSameChoices) {
  const Dataset seeded =
      Dataset::SampleFromDatasets(EqualDatasets(), {.seed = 42});
  EXPECT_EQ(PartOf(0, seeded), (Numbers{100, 101, 102, 104, 1, 2}));
  EXPECT_EQ(PartOf(1, seeded), (Numbers{103, 0, 3, 4}));
}

}  // namespace
}  // namespace lockstep
