#include "reference/layers/transformer/embedding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/base/error_testing.h"
#include "reference/layers/layer_config.h"

namespace lockstep {
namespace {

// Rows (0, 1), (2, 3), (4, 5).
Embedding Counting(const EmbeddingOptions& options = {}) {
  EmbeddingOptions counting = options;
  counting.embeddings_initializer = [](const Shape& shape, Random&) {
    return Tensor::FromVector<float>({0, 1, 2, 3, 4, 5}, shape);
  };
  return Embedding(3, 2, counting);
}

TEST(EmbeddingTest, LooksRowsUp) {
  const Embedding embedding = Counting();
  const Tensor ids = Tensor::FromVector<int32_t>({2, 0, 0, 1}, Shape{2, 2});
  const Tensor rows = embedding(ids);
  EXPECT_EQ(rows.shape(), (Shape{2, 2, 2}));
  EXPECT_EQ(ToString(rows), "[[[4, 5], [0, 1]], [[0, 1], [2, 3]]]");
  EXPECT_TRUE(BitwiseEqual(embedding(ids.Cast(DType::kFloat32)), rows));
  EXPECT_EQ(embedding.ComputeOutputShape(Shape{kUnknownDim, 7}),
            (Shape{kUnknownDim, 7, 2}));
}

TEST(EmbeddingTest, GradientAddsRepeatedRows) {
  const Embedding embedding = Counting();
  embedding.Build(Shape{kUnknownDim});
  GradientTape tape;
  const Tensor rows = embedding(Tensor::FromVector<int64_t>({2, 0, 2}));
  EXPECT_EQ(ToString(*tape.Gradient(rows, embedding.variables())[0]),
            "[[1, 1], [0, 0], [2, 2]]");
}

TEST(EmbeddingTest, MakesKerasVariable) {
  SetRandomSeed(1);
  const Embedding embedding(100, 50, {.name = "words"});
  embedding.Build(Shape{kUnknownDim, 3});
  ASSERT_EQ(embedding.trainable_variables().size(), 1u);
  const Variable& table = *embedding.variables()[0];
  EXPECT_EQ(table.name(), "words/embeddings");
  EXPECT_EQ(embedding.trackable()->children()[0].name, "_embeddings");
  const std::vector<float> values = table.Read().ToVector<float>();
  ASSERT_EQ(values.size(), 5000u);
  // Uniform between -0.05 and 0.05.
  const auto [least, most] = std::ranges::minmax(values);
  EXPECT_GE(least, -0.05f);
  EXPECT_LT(least, -0.0499f);
  EXPECT_LT(most, 0.05f);
  EXPECT_GT(most, 0.0499f);
}

TEST(EmbeddingTest, DoesNotRoundNumbers) {
  const Embedding embedding(1000, 1,
                            {.embeddings_initializer =
                                 [](const Shape& shape, Random&) {
                                   std::vector<float> rows(1000);
                                   for (size_t i = 0; i < rows.size(); ++i)
                                     rows[i] = i % 7;
                                   return Tensor::FromVector(rows, shape);
                                 },
                             .dtype = DTypePolicy("mixed_bfloat16")});
  const Tensor y = embedding(Tensor::FromVector<float>({257, 999}));
  EXPECT_EQ(y.dtype(), DType::kBFloat16);
  EXPECT_EQ(y.Cast(DType::kFloat32).ToVector<float>(),
            (std::vector<float>{257 % 7, 999 % 7}));
}

TEST(EmbeddingTest, RefusesWrongArguments) {
  EXPECT_EQ(CodeOf([] { Embedding(0, 2); }), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([] { Embedding(2, 0); }), Code::kInvalidArgument);
  for (const int64_t id : {-1, 3}) {
    EXPECT_EQ(CodeOf([&] { Counting()(Tensor::FromVector<int64_t>({id})); }),
              Code::kInvalidArgument);
  }
}

TEST(EmbeddingTest, Config) {
  Json config = Counting().impl().Config().config;
  for (const char* key : {"name", "trainable", "dtype"}) config.erase(key);
  EXPECT_EQ(config, Json::parse(R"({
    "input_dim": 3, "output_dim": 2, "embeddings_regularizer": null,
    "mask_zero": false})"));
}

}  // namespace
}  // namespace lockstep
