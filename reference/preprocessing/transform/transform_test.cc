#include "reference/preprocessing/transform/transform.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/base/file_testing.h"
#include "reference/distribute/mirrored_strategy.h"
#include "reference/distribute/multi_worker/multi_worker_testing.h"
#include "reference/preprocessing/transform/analyze.h"

namespace lockstep {
namespace {

using Floats = std::vector<float>;
using Ids = std::vector<int64_t>;
using Words = std::vector<std::string>;

Structure Rows(const Floats& ages, const Floats& heights, const Words& colors) {
  return Structure::Dict({{"age", Tensor::FromVector(ages)},
                          {"color", Tensor::FromVector(colors)},
                          {"height", Tensor::FromVector(heights)}});
}

// A folder with the analysis of four rows: age has mean 3 and variance 4, half
// of the heights are at most 2, the colors are b, c and a.
class TransformTest : public testing::Test {
 protected:
  TransformTest() {
    const Structure rows =
        Rows({1, 5, 1, 5}, {4, 2, 3, 1}, {"b", "a", "b", "c"});
    Analyze(Dataset::FromTensorSlices(rows).Batch(2),
            {ZScore("age"), Bins("height", 2), WordIds("color")},
            folder_.path());
  }

  static void ExpectTransformed(const Structure& got) {
    EXPECT_EQ(got.keys(), (Words{"age", "color", "height"}));
    EXPECT_EQ(got["age"].leaf().ToVector<float>(), (Floats{2, -1}));
    EXPECT_EQ(got["color"].leaf().ToVector<int64_t>(), (Ids{0, 3}));
    EXPECT_EQ(got["height"].leaf().ToVector<int32_t>(),
              (std::vector<int32_t>{0, 1}));
  }

  const TestFolder folder_;
  const Structure asked_ = Rows({7, 1}, {1.5f, 2}, {"z", "a"});
};

TEST_F(TransformTest, AppliesWhatWasFound) {
  const Transform transform(folder_.path());
  ExpectTransformed(transform(asked_));
}

TEST_F(TransformTest, TheSameInADatasetAndInRun) {
  const Transform transform(folder_.path());
  const Dataset prepared =
      Dataset::FromTensorSlices(asked_)
          .Map([&](const Structure& row) { return transform(row); },
               MapOptions{.num_parallel_calls = 2})
          .Batch(2);
  for (const Structure& batch : prepared) ExpectTransformed(batch);
  MirroredStrategy strategy({"CPU:0", "CPU:1"});
  const PerReplica<Structure> results =
      strategy.Run([&] { return transform(asked_); });
  for (const Structure& own : strategy.LocalResults(results)) {
    ExpectTransformed(own);
  }
}

TEST_F(TransformTest, OfAFolderThatWasCopied) {
  const TestFolder other;
  const std::string copy = other / "copy";
  std::filesystem::copy(folder_.path(), copy);
  std::filesystem::remove_all(folder_.path());
  ExpectTransformed(Transform(copy)(asked_));
}

TEST_F(TransformTest, OtherKeysAreLeftOut) {
  const Transform transform(folder_.path());
  const Structure more = Structure::Dict({{"age", asked_["age"]},
                                          {"color", asked_["color"]},
                                          {"height", asked_["height"]},
                                          {"label", Tensor::Scalar(1.0f)}});
  ExpectTransformed(transform(more));
  ExpectError(
      [&] {
        transform(Structure::Dict({{"age", asked_["age"]}}));
      },
      Code::kInvalidArgument, "the input 'height'");
}

TEST_F(TransformTest, Shapes) {
  const Transform transform(folder_.path());
  const Shape rows{kUnknownDim};
  const ShapeStructure shapes = transform.ComputeOutputShape(
      ShapeStructure::Dict({{"age", rows}, {"color", rows}, {"height", rows}}));
  EXPECT_EQ(shapes["color"].leaf(), rows);
}

TEST_F(TransformTest, AVocabularyThatIsChangedWhileMapped) {
  const Transform transform(folder_.path());
  for (const auto& file : std::filesystem::directory_iterator(folder_.path())) {
    if (file.path().extension() == ".txt") {
      std::ofstream(file.path(), std::ios::app) << "d\n";
    }
  }
  EXPECT_EQ(CodeOf([&] { transform(asked_); }), Code::kFailedPrecondition);
}

TEST(TransformFormsTest, OneColumnOfATensor) {
  const TestFolder folder;
  const Tensor rows = Tensor::FromVector(Floats{1, 10, 5, 30}, Shape{2, 2});
  Analyze(Dataset::FromTensors(rows), {ZScore("")}, folder.path());
  const Transform transform(folder.path());
  EXPECT_EQ(transform(rows).ToVector<float>(), (Floats{-1, -1, 1, 1}));
  EXPECT_EQ(CodeOf([&] {
              transform(Tensor::Zeros({2, 3}));
            }),
            Code::kInvalidArgument);
}

TEST(TransformFormsTest, PartsOfATuple) {
  const TestFolder folder;
  const Tensor numbers = Tensor::FromVector<int64_t>({1, 5});
  const Tensor words = Tensor::FromVector(Words{"a", "a"});
  Column bins = Bins("0", 1);
  bins.output = "bins";
  Analyze(Dataset::FromTensorSlices({numbers, words}),
          {ZScore("0"), bins, WordIds("1")}, folder.path());
  const Transform transform(folder.path());
  const Structure got = transform({numbers, words});
  ASSERT_EQ(got.kind(), NestKind::kTuple);
  EXPECT_EQ(got[0].leaf().ToVector<float>(), (Floats{-1, 1}));
  EXPECT_EQ(got[1].leaf().ToVector<int32_t>(), (std::vector<int32_t>{0, 0}));
  EXPECT_EQ(got[2].leaf().ToVector<int64_t>(), (Ids{1, 1}));
}

TEST(TransformFormsTest, Scalars) {
  const TestFolder folder;
  const Dataset numbers =
      Dataset::FromTensorSlices(Tensor::FromVector(Floats{1, 5}));
  Analyze(numbers, {ZScore("")}, folder.path());
  const Transform transform(folder.path());
  EXPECT_EQ(transform(Tensor::Scalar(5.0f)).item<float>(), 1);
}

TEST(TransformOnWorkersTest, AnotherAnalysisIsRefusedInRun) {
  const std::vector<TestFolder> folders(2);
  for (const int worker : {0, 1}) {
    const std::string word = worker == 0 ? "a" : "b";
    Analyze(Dataset::FromTensors(Tensor::FromVector(Words{word})),
            {WordIds("")}, folders[worker].path());
  }
  RethrowAny(WorkersErrors({1, 1}, [&](Strategy& strategy) {
    const Transform transform(folders[WorkerOf(strategy)].path(), "words");
    const Tensor asked = Tensor::FromVector(Words{"a"});
    ExpectError([&] { strategy.Run([&] { return transform(asked); }); },
                Code::kFailedPrecondition,
                "\"word 0 is 'a'\" on worker 0, \"word 0 is 'b'\" on worker 1");
  }));
}

}  // namespace
}  // namespace lockstep
