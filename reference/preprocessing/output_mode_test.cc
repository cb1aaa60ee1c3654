// The values are those of the examples in the header, and of Keras 3.15.1's
// CategoryEncoding and StringLookup for the same ids.
#include "reference/preprocessing/output_mode.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference/base/error_testing.h"

namespace lockstep {
namespace {

using Ids = std::vector<int64_t>;

Tensor Encode(OutputMode mode, const Ids& ids, const Shape& shape,
              const EncodeOptions& options = {}) {
  return EncodeIds(mode, ids, shape, 4, options);
}

TEST(EncodeIdsTest, OneVectorForEachSample) {
  const Ids ids = {0, 2, 2, 2};
  EXPECT_EQ(ToString(Encode(OutputMode::kMultiHot, ids, {2, 2})),
            "[[1, 0, 1, 0], [0, 0, 1, 0]]");
  EXPECT_EQ(ToString(Encode(OutputMode::kCount, ids, {2, 2})),
            "[[1, 0, 1, 0], [0, 0, 2, 0]]");
  EXPECT_EQ(ToString(Encode(OutputMode::kInt, ids, {2, 2})),
            "[[0, 2], [2, 2]]");
}

TEST(EncodeIdsTest, OneVectorForEachId) {
  EXPECT_EQ(ToString(Encode(OutputMode::kOneHot, {0, 2}, {2})),
            "[[1, 0, 0, 0], [0, 0, 1, 0]]");
  EXPECT_EQ(Encode(OutputMode::kOneHot, {0, 2}, {1, 2}).shape(),
            Shape({1, 2, 4}));
  EXPECT_EQ(Encode(OutputMode::kOneHot, {0, 2}, {2, 1}).shape(), Shape({2, 4}));
  EXPECT_EQ(Encode(OutputMode::kOneHot, {0}, {1}).shape(), Shape({1, 4}));
}

TEST(EncodeIdsTest, AScalarIsOneSample) {
  EXPECT_EQ(ToString(Encode(OutputMode::kMultiHot, {3}, {})), "[0, 0, 0, 1]");
  EXPECT_EQ(ToString(Encode(OutputMode::kOneHot, {3}, {})), "[[0, 0, 0, 1]]");
}

TEST(EncodeIdsTest, LeavesOutWhatHasNoId) {
  EXPECT_EQ(ToString(Encode(OutputMode::kOneHot, {kNoId, 1}, {2})),
            "[[0, 0, 0, 0], [0, 1, 0, 0]]");
  EXPECT_EQ(ToString(Encode(OutputMode::kCount, {kNoId, 1}, {2})),
            "[0, 1, 0, 0]");
}

TEST(EncodeIdsTest, Weights) {
  const std::vector<float> weights = {0.5, 2, 1};
  EXPECT_EQ(ToString(Encode(OutputMode::kCount, {0, 1, 1}, {3},
                            {.count_weights = weights})),
            "[0.5, 3, 0, 0]");
  const std::vector<float> factors = {0.5, 2, 4, 8};
  EXPECT_EQ(ToString(Encode(OutputMode::kTfIdf, {0, 1, 1}, {3},
                            {.category_weights = factors})),
            "[0.5, 4, 0, 0]");
}

TEST(EncodeIdsTest, TypeOfTheVectors) {
  EXPECT_EQ(Encode(OutputMode::kCount, {0}, {1}).dtype(), DType::kFloat32);
  EXPECT_EQ(
      Encode(OutputMode::kCount, {0}, {1}, {.dtype = DType::kInt64}).dtype(),
      DType::kInt64);
}

TEST(EncodeIdsTest, NoSamples) {
  EXPECT_EQ(Encode(OutputMode::kMultiHot, {}, {0, 2}).shape(), Shape({0, 4}));
  EXPECT_EQ(ToString(Encode(OutputMode::kMultiHot, {}, {2, 0})),
            "[[0, 0, 0, 0], [0, 0, 0, 0]]");
}

TEST(EncodeSamplesTest, SamplesOfDifferentLengths) {
  const Ids ids = {0, 1, 1, 3};
  const Ids ends = {3, 3, 4};
  EXPECT_EQ(ToString(EncodeSamples(OutputMode::kCount, ids, ends, Shape{3}, 4)),
            "[[1, 2, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1]]");
}

TEST(EncodedShapeTest, UnknownDimensions) {
  EXPECT_EQ(EncodedShape(OutputMode::kMultiHot, {kUnknownDim, 3}, 4),
            Shape({kUnknownDim, 4}));
  EXPECT_EQ(EncodedShape(OutputMode::kOneHot, {kUnknownDim}, kUnknownDim),
            Shape({kUnknownDim, kUnknownDim}));
  EXPECT_EQ(EncodedShape(OutputMode::kInt, {kUnknownDim, 3}, 4),
            Shape({kUnknownDim, 3}));
}

TEST(OutputModeTest, Names) {
  EXPECT_EQ(OutputModeName(OutputMode::kTfIdf), "tf_idf");
  EXPECT_EQ(ParseOutputMode("multi_hot"), OutputMode::kMultiHot);
  ExpectError([] { ParseOutputMode("binary"); }, Code::kInvalidArgument,
              "'binary'");
  ExpectError(
      [] {
        CheckOutputMode("Hashing", OutputMode::kTfIdf,
                        {OutputMode::kInt, OutputMode::kCount});
      },
      Code::kInvalidArgument,
      "[Hashing] output_mode must be one of int, count");
}

}  // namespace
}  // namespace lockstep
