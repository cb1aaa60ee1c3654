#include "reference/layers/layer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <cmath>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "reference/autodiff/distribution_context.h"
#include "reference/autodiff/gradient_tape.h"
#include "reference/base/error.h"
#include "reference/base/error_testing.h"
#include "reference/layers/core_layers.h"
#include "reference/layers/image_layers.h"
#include "reference/layers/initializers.h"
#include "reference/regularizers/regularizer.h"

namespace lockstep {
namespace {

TEST(UniqueNameTest, CountsEachBase) {
  ClearSession();
  EXPECT_EQ(UniqueName("conv2d"), "conv2d");
  EXPECT_EQ(UniqueName("conv2d"), "conv2d_1");
  EXPECT_EQ(UniqueName("dense"), "dense");
  EXPECT_EQ(UniqueName("conv2d"), "conv2d_2");
}

TEST(UniqueNameTest, ClearSession) {
  UniqueName("conv2d");
  ClearSession();
  EXPECT_EQ(UniqueName("conv2d"), "conv2d");
}

const Tensor kWeight = Tensor::FromVector<float>({1, -2, 0}, Shape{3, 1});

std::vector<float> GradientOf(const Regularizer& regularizer) {
  GradientTape tape;
  tape.Watch(kWeight);
  return tape.Gradient(regularizer(kWeight), std::vector<Tensor>{kWeight})[0]
      ->ToVector<float>();
}

TEST(RegularizerTest, L1SumsMagnitudes) {
  EXPECT_EQ(L1(0.5)(kWeight).item<float>(), 1.5);
  EXPECT_EQ(GradientOf(L1(0.5)), (std::vector<float>{0.5, -0.5, 0}));
}

TEST(RegularizerTest, L2SumsSquares) {
  EXPECT_EQ(L2(0.5)(kWeight).item<float>(), 2.5);
  EXPECT_EQ(GradientOf(L2(0.5)), (std::vector<float>{1, -2, 0}));
}

TEST(RegularizerTest, DefaultFactor) {
  EXPECT_FLOAT_EQ(L1()(kWeight).item<float>(), 0.03f);
  EXPECT_FLOAT_EQ(L2()(kWeight).item<float>(), 0.05f);
}

TEST(RegularizerTest, RefusesWrongFactors) {
  for (const double factor : {-1.0, double{NAN}, double{INFINITY}}) {
    EXPECT_THROW(L1{factor}, Error);
    EXPECT_THROW(L2{factor}, Error);
  }
}

TEST(InitializerTest, Constants) {
  Random random(0);
  EXPECT_EQ(initializers::Zeros()(Shape{2}, random).ToVector<float>(),
            (std::vector<float>{0, 0}));
  EXPECT_EQ(initializers::Ones()(Shape{2, 1}, random).shape(), (Shape{2, 1}));
  EXPECT_EQ(initializers::Constant(0.5)(Shape{}, random).item<float>(), 0.5);
}

// Of the values that an initializer draws.
struct Moments {
  double count, mean, mean_square, largest;
};

Moments MomentsOf(const Initializer& initializer, const Shape& shape) {
  Random random(1);
  const Tensor values = initializer(shape, random);
  EXPECT_EQ(values.shape(), shape);
  double sum = 0, squares = 0, largest = 0;
  for (const float value : values.span<float>()) {
    sum += value;
    squares += value * value;
    largest = std::max(largest, std::abs(double{value}));
  }
  const double count = static_cast<double>(values.num_elements());
  return {count, sum / count, squares / count, largest};
}

// Uniform values of this variance. Their squares have the deviation
// sqrt(4 / 5) * variance. Bounds are five deviations of the mean.
void ExpectUniform(const Initializer& initializer, const Shape& shape,
                   double variance) {
  const Moments moments = MomentsOf(initializer, shape);
  const double limit = std::sqrt(3 * variance);
  EXPECT_LE(moments.largest, limit * (1 + 1e-7));  // the limit as float
  EXPECT_GT(moments.largest, 0.99 * limit);
  EXPECT_NEAR(moments.mean, 0, 5 * std::sqrt(variance / moments.count));
  EXPECT_NEAR(moments.mean_square, variance,
              5 * variance * std::sqrt(0.8 / moments.count));
}

// The same for normal values that are truncated at two of their deviations
// before. By integration of x^2 and x^4 times the density, the variance is
// 0.773741 and the mean fourth power 1.416189 of those before, so that squares
// have the deviation sqrt(1.416189 / 0.773741^2 - 1) * variance.
void ExpectNormal(const Initializer& initializer, const Shape& shape,
                  double variance) {
  const Moments moments = MomentsOf(initializer, shape);
  const double limit = 2 * std::sqrt(variance / 0.7737413);
  EXPECT_LE(moments.largest, limit * (1 + 1e-6));
  EXPECT_GT(moments.largest, 0.95 * limit);
  EXPECT_NEAR(moments.mean, 0, 5 * std::sqrt(variance / moments.count));
  EXPECT_NEAR(moments.mean_square, variance,
              5 * variance * std::sqrt(1.3655 / moments.count));
}

TEST(InitializerTest, VariancesOfTheFormulas) {
  const Shape dense{100, 50}, filter{3, 3, 32, 64};
  ExpectUniform(initializers::GlorotUniform(), dense, 2.0 / 150);
  ExpectUniform(initializers::GlorotUniform(), filter, 2.0 / (9 * 96));
  ExpectUniform(initializers::HeUniform(), filter, 2.0 / (9 * 32));
  ExpectUniform(initializers::LecunUniform(), dense, 1.0 / 100);
  ExpectNormal(initializers::GlorotNormal(), dense, 2.0 / 150);
  ExpectNormal(initializers::HeNormal(), filter, 2.0 / (9 * 32));
  ExpectNormal(initializers::LecunNormal(), dense, 1.0 / 100);
  // What truncation leaves of the variance 0.02^2.
  ExpectNormal(initializers::TruncatedNormal(0, 0.02f), dense,
               0.0004 * 0.7737413);
}

TEST(InitializerTest, TruncatedNormalAroundItsMean) {
  const Moments moments =
      MomentsOf(initializers::TruncatedNormal(3, 0.5f), Shape{5000});
  EXPECT_LE(moments.largest, 4.000001);
  EXPECT_NEAR(moments.mean, 3, 5 * 0.5 * 0.88 / std::sqrt(5000));
  EXPECT_EQ(MomentsOf(initializers::TruncatedNormal(3, 0), Shape{2}).largest,
            3);
  EXPECT_EQ(CodeOf([] { initializers::TruncatedNormal(0, -1); }),
            Code::kInvalidArgument);
}

// The products of all pairs of rows, or columns, are those of the identity.
TEST(InitializerTest, OrthogonalRowsOrColumns) {
  for (const Shape& shape : {Shape{3, 7}, Shape{7, 3}, Shape{2, 2, 3}}) {
    Random random(1);
    const std::vector<float> values =
        initializers::Orthogonal()(shape, random).ToVector<float>();
    const int64_t columns = shape[shape.rank() - 1];
    const int64_t rows = shape.num_elements() / columns;
    const bool tall = rows >= columns;
    const int64_t count = std::min(rows, columns);
    for (int64_t i = 0; i < count; ++i) {
      for (int64_t j = 0; j < count; ++j) {
        double product = 0;
        for (int64_t k = 0; k < std::max(rows, columns); ++k) {
          product += tall ? values[k * columns + i] * values[k * columns + j]
                          : values[i * columns + k] * values[j * columns + k];
        }
        EXPECT_NEAR(product, i == j, 1e-6);  // of floats up to 1
      }
    }
  }
  Random random(1);
  EXPECT_EQ(CodeOf([&] { initializers::Orthogonal()(Shape{3}, random); }),
            Code::kInvalidArgument);
}

TEST(InitializerTest, SeedGivesTheSameValues) {
  const Initializer seeded = initializers::GlorotUniform(5);
  Random a(1), b(2);
  EXPECT_TRUE(BitwiseEqual(seeded(Shape{4}, a), seeded(Shape{4}, b)));
  const Initializer other = initializers::GlorotUniform(6);
  EXPECT_FALSE(BitwiseEqual(seeded(Shape{4}, a), other(Shape{4}, a)));
  const Initializer normal = initializers::HeNormal(5);
  EXPECT_TRUE(BitwiseEqual(normal(Shape{4}, a), normal(Shape{4}, b)));
}

TEST(RandomSeedTest, StreamsDifferAndRestart) {
  SetRandomSeed(9);
  Random first = NextRandomStream();
  Random second = NextRandomStream();
  const uint64_t from_first = first.Next64();
  EXPECT_NE(from_first, second.Next64());
  SetRandomSeed(9);
  EXPECT_EQ(NextRandomStream().Next64(), from_first);
  SetRandomSeed(10);
  EXPECT_NE(NextRandomStream().Next64(), from_first);
}

using Floats = std::vector<float>;

// Multiplies by a weight and counts how often it creates it.
class ScalingImpl : public TensorLayerImpl {
 public:
  ScalingImpl() : TensorLayerImpl("scaling") {}
  Shape ComputeOutputShape(const Shape& shape) const override { return shape; }

  int builds = 0;
  Shape built_for;

 protected:
  void MakeWeights(const Shape& input_shape) override {
    ++builds;
    built_for = input_shape;
    weight_ = AddWeight({.name = "weight",
                         .checkpoint_name = "_weight",
                         .shape = {},
                         .initializer = UniformWeight});
    AddWeight({.name = "count",
               .checkpoint_name = "count",
               .shape = {},
               .initializer = UniformWeight,
               .trainable = false});
  }
  Tensor Call(const Tensor& x, bool) override {
    weight_->Read();
    return x;
  }

 private:
  static Tensor UniformWeight(const Shape&, Random& random) {
    return Tensor::Scalar(random.UniformFloat());
  }

  VariablePtr weight_;
};

class Scaling : public Layer {
 public:
  Scaling() : Layer(std::make_shared<ScalingImpl>()) {}

  ScalingImpl& impl() const { return static_cast<ScalingImpl&>(Layer::impl()); }
};

TEST(LayerTest, FirstCallBuildsIt) {
  Scaling layer;
  EXPECT_FALSE(layer.built());
  EXPECT_TRUE(layer.variables().empty());
  layer(Tensor::Zeros(Shape{2, 3}));
  layer(Tensor::Zeros(Shape{4, 3}));
  EXPECT_TRUE(layer.built());
  EXPECT_EQ(layer.impl().builds, 1);
  EXPECT_EQ(layer.impl().built_for, (Shape{kUnknownDim, 3}));
}

TEST(LayerTest, SeparatesTrainableVariables) {
  Scaling layer;
  layer.Build(Shape{kUnknownDim, 3});
  EXPECT_EQ(layer.variables().size(), 2u);
  ASSERT_EQ(layer.trainable_variables().size(), 1u);
  EXPECT_EQ(layer.trainable_variables()[0]->name(), "scaling/weight");
  ASSERT_EQ(layer.non_trainable_variables().size(), 1u);
  EXPECT_EQ(layer.non_trainable_variables()[0]->name(), "scaling/count");
}

TEST(LayerTest, InitialValueIsReproducible) {
  std::vector<float> values;
  VariableCreatorScope creator([&](const VariableOptions& options) {
    values.push_back(options.initial_value().item<float>());
    values.push_back(options.initial_value().item<float>());
    return MakeVariable(options);
  });
  Scaling layer;
  layer.Build(Shape{1});
  ASSERT_EQ(values.size(), 4u);
  EXPECT_EQ(values[0], values[1]);
  EXPECT_NE(values[0], values[2]);  // each weight has its own stream
  EXPECT_EQ(layer.variables()[0]->Read().item<float>(), values[0]);
}

// Replicas that wait for each other in MergeCall, which one of them runs.
class Rendezvous : public DistributionContext {
 public:
  explicit Rendezvous(int replicas) : barrier_(replicas) {}

  bool has_strategy() const override { return true; }
  void MergeCall(const std::function<void()>& function) override {
    barrier_.arrive_and_wait();
    std::call_once(once_, function);
    barrier_.arrive_and_wait();
  }

 private:
  std::barrier<> barrier_;
  std::once_flag once_;
};

TEST(LayerTest, ReplicasShareOneBuild) {
  Scaling layer;
  Rendezvous context(4);
  {
    std::vector<std::jthread> replicas;
    for (int replica = 0; replica < 4; ++replica) {
      replicas.emplace_back([&] {
        DistributionContextScope scope(context);
        layer.Build(Shape{kUnknownDim, 3});
        EXPECT_TRUE(layer.built());
      });
    }
  }
  EXPECT_EQ(layer.impl().builds, 1);
}

TEST(InputLayerTest, AcceptsItsShapeOnly) {
  const Layer input = Input({2});
  const Tensor x = Tensor::FromVector<float>({1, 2}, Shape{1, 2});
  EXPECT_EQ(input(x).ToVector<float>(), (Floats{1, 2}));
  EXPECT_THROW(input(Tensor::Zeros(Shape{1, 3})), Error);
  EXPECT_EQ(Input({2}).shape(), (Shape{kUnknownDim, 2}));
}

TEST(DTypePolicyTest, DocumentedNames) {
  const DTypePolicy plain("float32"), bf16("mixed_bfloat16"),
      f16("mixed_float16");
  EXPECT_EQ(plain.compute_dtype(), DType::kFloat32);
  EXPECT_EQ(bf16.compute_dtype(), DType::kBFloat16);
  EXPECT_EQ(f16.compute_dtype(), DType::kFloat16);
  for (const DTypePolicy& policy : {plain, bf16, f16}) {
    EXPECT_EQ(policy.variable_dtype(), DType::kFloat32);
  }
  EXPECT_EQ(f16.name(), "mixed_float16");
  EXPECT_EQ(CodeOf([] { DTypePolicy("mixed_float8"); }),
            Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([] { DTypePolicy("bfloat16"); }), Code::kUnimplemented);
}

TEST(DTypePolicyTest, GlobalPolicyIsTheDefault) {
  const Dense before(1);
  const DTypePolicyScope scope("mixed_float16");
  EXPECT_EQ(GetDTypePolicy().name(), "mixed_float16");
  EXPECT_EQ(Dense(1).dtype_policy().name(), "mixed_float16");
  EXPECT_EQ(Dense(1, {.dtype = "float32"}).dtype_policy().name(), "float32");
  EXPECT_EQ(before.dtype_policy().name(), "float32");
}

TEST(DTypePolicyTest, RoundsToTheComputeType) {
  // 1 + 2^-8 rounds to 1 in bfloat16, and 1 + 3 * 2^-8 to 1 + 2^-6.
  Dense dense(1, {.kernel_initializer = initializers::Constant(1.01171875f),
                  .dtype = "mixed_bfloat16"});
  const Tensor x = Tensor::Full(Shape{1, 1}, 1.00390625f);
  GradientTape tape;
  const Tensor y = dense(x);
  EXPECT_EQ(y.dtype(), DType::kBFloat16);
  EXPECT_EQ(ToString(y), "[[1.015625]]");
  const auto d = tape.Gradient(y, dense.variables());
  EXPECT_EQ(d[0]->dtype(), DType::kFloat32);
  EXPECT_EQ(d[0]->item<float>(), 1);
  EXPECT_EQ(dense.variables()[0]->Read().item<float>(), 1.01171875f);
}

TEST(DTypePolicyTest, KeepsIntegers) {
  const DTypePolicyScope scope("mixed_bfloat16");
  Flatten flatten;
  EXPECT_EQ(flatten(Tensor::Zeros(Shape{1, 2}, DType::kInt32)).dtype(),
            DType::kInt32);
  EXPECT_EQ(flatten(Tensor::Zeros(Shape{1, 2}, DType::kFloat64)).dtype(),
            DType::kBFloat16);
}

TEST(WeightLimitTest, CountsAllWeightsTogether) {
  {
    const WeightLimit limit(1100);
    const Dense fits(100), more(1);
    fits.Build(Shape{kUnknownDim, 10});
    ExpectError(
        [&] {
          more.Build(Shape{kUnknownDim, 1});
        },
        Code::kInvalidArgument, "the 0 elements");
  }
  const Dense any(100);
  any.Build(Shape{kUnknownDim, 11});
  const WeightLimit limit(1 << 30);
  const Dense absurd(int64_t{1} << 62);
  ExpectError(
      [&] {
        absurd.Build(Shape{kUnknownDim, 4});
      },
      Code::kInvalidArgument, "elements");
}

}  // namespace
}  // namespace lockstep
