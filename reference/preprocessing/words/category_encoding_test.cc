// The numbers are those of Keras 3.15.1.
#include "reference/preprocessing/words/category_encoding.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "reference/base/error_testing.h"
#include "reference/layers/layer_config.h"

namespace lockstep {
namespace {

const Tensor kIds = Tensor::FromVector<int64_t>({0, 1, 3, 3}, {2, 2});

std::string Encoded(OutputMode mode, const Tensor& ids = kIds) {
  return ToString(CategoryEncoding(4, {.output_mode = mode})(ids));
}

TEST(CategoryEncodingTest, Modes) {
  EXPECT_EQ(Encoded(OutputMode::kMultiHot), "[[1, 1, 0, 0], [0, 0, 0, 1]]");
  EXPECT_EQ(Encoded(OutputMode::kCount), "[[1, 1, 0, 0], [0, 0, 0, 2]]");
  EXPECT_EQ(Encoded(OutputMode::kOneHot),
            "[[[1, 0, 0, 0], [0, 1, 0, 0]], [[0, 0, 0, 1], [0, 0, 0, 1]]]");
}

TEST(CategoryEncodingTest, MultiHotIsTheDefault) {
  EXPECT_EQ(ToString(CategoryEncoding(4)(kIds)),
            "[[1, 1, 0, 0], [0, 0, 0, 1]]");
}

TEST(CategoryEncodingTest, AnyIntegers) {
  EXPECT_EQ(Encoded(OutputMode::kCount, Tensor::FromVector<uint8_t>({0, 3})),
            "[1, 0, 0, 1]");
  EXPECT_EQ(Encoded(OutputMode::kMultiHot, Tensor::Scalar<int32_t>(3)),
            "[0, 0, 0, 1]");
}

TEST(CategoryEncodingTest, Weights) {
  const CategoryEncoding layer(4, {.output_mode = OutputMode::kCount});
  EXPECT_EQ(ToString(layer(Tensor::FromVector<int64_t>({0, 1}),
                           Tensor::FromVector<float>({0.5, 2}))),
            "[0.5, 2, 0, 0]");
}

TEST(CategoryEncodingTest, OutOfRange) {
  for (const int64_t id : {-1, 4}) {
    ExpectError([&] { Encoded(OutputMode::kOneHot, Tensor::Scalar(id)); },
                Code::kInvalidArgument,
                "must be in 0..3, got " + std::to_string(id));
  }
}

TEST(CategoryEncodingTest, Errors) {
  ExpectError([] { CategoryEncoding(0); }, Code::kInvalidArgument, "got 0");
  ExpectError([] { CategoryEncoding(4, {.output_mode = OutputMode::kInt}); },
              Code::kInvalidArgument, "got int");
  ExpectError([] { CategoryEncoding(4)(Tensor::Scalar<float>(1)); },
              Code::kInvalidArgument, "needs integers, got float32");
  ExpectError([] { CategoryEncoding(4)(kIds, kIds); }, Code::kInvalidArgument,
              "only output mode count has weights");
  const CategoryEncoding count(4, {.output_mode = OutputMode::kCount});
  ExpectError([&] { count(kIds, Tensor::Scalar<float>(1)); },
              Code::kInvalidArgument, "a weight for each");
  ExpectError(
      [&] {
        count({kIds, kIds, kIds});
      },
      Code::kInvalidArgument, "got 3 inputs");
}

TEST(CategoryEncodingTest, OutputShape) {
  EXPECT_EQ(CategoryEncoding(4).ComputeOutputShape(Shape{kUnknownDim, 2}),
            Shape({kUnknownDim, 4}));
}

TEST(CategoryEncodingTest, ConfigIsKeras) {
  const LayerConfig config = CategoryEncoding(4).impl().Config();
  EXPECT_EQ(config.class_name, "CategoryEncoding");
  EXPECT_EQ(config.config["num_tokens"], 4);
  EXPECT_EQ(config.config["output_mode"], "multi_hot");
  EXPECT_EQ(config.config.size(), 5);
}

}  // namespace
}  // namespace lockstep
