#include "reference/layers/layer.h"

#include <gtest/gtest.h>

#include <barrier>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "reference/autodiff/distribution_context.h"
#include "reference/autodiff/gradient_tape.h"
#include "reference/base/error.h"

namespace lockstep {
namespace {

using Floats = std::vector<float>;

// Multiplies by a weight, and counts how often it makes it.
class Scaling : public Layer {
 public:
  Scaling() : Layer("scaling") {}
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

TEST(LayerTest, IsBuiltOnceByItsFirstCall) {
  Scaling layer;
  EXPECT_FALSE(layer.built());
  EXPECT_TRUE(layer.variables().empty());
  layer(Tensor::Zeros(Shape{2, 3}));
  layer(Tensor::Zeros(Shape{4, 3}));
  EXPECT_TRUE(layer.built());
  EXPECT_EQ(layer.builds, 1);
  EXPECT_EQ(layer.built_for, (Shape{kUnknownDim, 3}));
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

TEST(LayerTest, AWeightHasTheSameFirstValueHoweverOftenItIsAskedFor) {
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
  EXPECT_NE(values[0], values[2]);  // each weight has a stream of its own
  EXPECT_EQ(layer.variables()[0]->Read().item<float>(), values[0]);
}

// Replicas that meet in MergeCall: all come, one runs it, then all go on.
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
  EXPECT_EQ(layer.builds, 1);
}

}  // namespace
}  // namespace lockstep
