#include "reference/layers/recurrent/additive_attention.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/autodiff/ops/array_ops.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/base/error_testing.h"
#include "reference/layers/layer_config.h"

namespace lockstep {
namespace {

using Numbers = std::vector<double>;

// Element i is ((i * factor) % 11 - 5) / 8.
Tensor Steps(const Shape& shape, int factor) {
  std::vector<float> values(shape.num_elements());
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(static_cast<int>(i * factor % 11) - 5) / 8;
  }
  return Tensor::FromVector(values, shape);
}

// Of float32 values of order 1.
void ExpectNumbers(const Tensor& tensor, const Numbers& expected) {
  const std::vector<float> got = tensor.ToVector<float>();
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_NEAR(got[i], expected[i], 1e-6) << "element " << i;
  }
}

void GiveWeights(const BahdanauAttention& attention) {
  attention.Build(
      ShapeStructure::Tuple({Shape{kUnknownDim, 3}, Shape{kUnknownDim, 4, 3}}));
  constexpr int kFactors[] = {3, 2, 5, 4, 7, 3};
  const auto weights = attention.trainable_variables();
  ASSERT_EQ(weights.size(), 6u);
  for (size_t i = 0; i < weights.size(); ++i) {
    weights[i]->Assign(Steps(weights[i]->shape(), kFactors[i]));
  }
}

// The formula in PyTorch 2.15.0, in float64.
TEST(BahdanauAttentionTest, EqualsPyTorch) {
  const BahdanauAttention attention(2);
  GiveWeights(attention);
  const Tensor query = Steps({2, 3}, 7), values = Steps({2, 4, 3}, 5);
  GradientTape tape;
  std::vector<GradientSource> sources = {query, values};
  tape.Watch(query);
  tape.Watch(values);
  for (const VariablePtr& weight : attention.trainable_variables()) {
    sources.emplace_back(weight);
  }
  const std::vector<Tensor> results =
      attention(std::vector<Structure>{query, values}).Flatten();
  ExpectNumbers(results[0],
                {-0.194144927109, 0.049237216425, 0.040230177759,
                 0.0569358271762, 0.0205314315665, -0.0680641728238});
  ExpectNumbers(results[1], {0.261363712631, 0.255140827008, 0.277540259248,
                             0.205955201113, 0.26741064238, 0.243056391923,
                             0.251567978995, 0.237964986703});
  const Gradients d = tape.Gradient(results[0] * Steps({2, 3}, 4), sources);
  const std::vector<Numbers> expected = {
      {0.00250394605196, -0.00283208050369, -0.00265942574504, 0, 0, 0},
      {-0.140182922481,
       -0.0247695916104,
       0.118636035909,
       -0.171590845137,
       -0.0353050422126,
       0.085002546774,
       -0.178228823824,
       -0.0377475314438,
       0.0995966292168,
       -0.133149731409,
       -0.0263660861366,
       0.0734398104898,
       -0.13370532119,
       0,
       0.13370532119,
       -0.121528195961,
       0,
       0.121528195961,
       -0.125783989497,
       0,
       0.125783989497,
       -0.118982493351,
       0,
       0.118982493351},
      {0.0270426249226, -0.017453200388, 0.00915417343932, -0.00356515441752,
       -0.0387495137835, 0.0205192964279},
      {-0.00400631368313, 0.00262507561388},
      {0.00250394605196, -0.00164067225867, -0.00100157842078, 0.00065626890347,
       0.00100157842078, -0.00065626890347},
      {-0.00400631368313, 0.00262507561388},
      {3.3794071064e-05, 0.0035765883036},
      {-2.08166817117e-17}};
  for (size_t i = 0; i < expected.size(); ++i) {
    SCOPED_TRACE(i);
    ExpectNumbers(*d[i], expected[i]);
  }
}

TEST(BahdanauAttentionTest, HiddenPositionsDoNotCount) {
  const BahdanauAttention attention(2);
  GiveWeights(attention);
  const Tensor query = Steps({2, 3}, 7), values = Steps({2, 4, 3}, 5);
  const Tensor mask =
      Tensor::FromVector<int64_t>({1, 1, 0, 0, 0, 0, 0, 0}, Shape{2, 4});
  const std::vector<Tensor> masked =
      attention(std::vector<Structure>{query, values, mask}).Flatten();
  const std::vector<Tensor> short_ones =
      attention(std::vector<Structure>{query, ops::Slice(values, 1, 0, 2)})
          .Flatten();
  const std::vector<float> got = masked[0].ToVector<float>();
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(got[i], short_ones[0].at<float>(i), 1e-6);
    EXPECT_EQ(got[3 + i], 0);
  }
  EXPECT_EQ(masked[1].at<float>(2), 0);
}

TEST(BahdanauAttentionTest, WeightsAndErrors) {
  const BahdanauAttention attention(2, {.name = "attention"});
  EXPECT_EQ(CodeOf([&] {
              attention(std::vector<Structure>{Tensor::Zeros({2, 3}),
                                               Tensor::Zeros({3, 4, 3})});
            }),
            Code::kInvalidArgument);
  GiveWeights(attention);
  std::string made;
  for (const VariablePtr& variable : attention.variables()) {
    made += variable->name() + " ";
  }
  EXPECT_EQ(made,
            "attention/w1/kernel attention/w1/bias attention/w2/kernel "
            "attention/w2/bias attention/v/kernel attention/v/bias ");
  EXPECT_EQ(CodeOf([] { BahdanauAttention none(0); }), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([&] { attention.impl().Config(); }), Code::kUnimplemented);
}

}  // namespace
}  // namespace lockstep
