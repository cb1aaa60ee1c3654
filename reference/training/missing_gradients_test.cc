// Gradients that some replicas have and others do not.

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reference/autodiff/indexed_slices.h"
#include "reference/base/error_testing.h"
#include "reference/distribute/distribute_testing.h"
#include "reference/distribute/multi_worker/multi_worker_testing.h"
#include "reference/optimizers/loss_scale_optimizer.h"
#include "reference/optimizers/update_rules.h"

namespace lockstep {
namespace {

// Replicas per worker: one worker, several, and several with several replicas.
const std::vector<std::vector<int>> kWorkers = {
    {2}, {3}, {1, 1}, {2, 1}, {2, 2}};

VariablePtr MakeOnes(const Shape& shape) {
  return MakeVariable(
      {.initial_value =
           [shape] { return Tensor::Full(shape, 1.0f, Device::Host()); },
       .name = "v"});
}

std::optional<VariableGradient> OnlyOn(int replica, const Tensor& gradient) {
  if (ReplicaNumber() != replica) return std::nullopt;
  return gradient;
}

// The value of a variable of ones after a step in which `gradient_of` returns each
// replica's gradients.
template <typename GradientOf>
std::vector<std::string> AfterStep(Strategy& strategy, Optimizer& optimizer,
                                   const std::vector<VariablePtr>& variables,
                                   const GradientOf& gradient_of) {
  strategy.Run([&] {
    std::vector<GradientAndVariable> pairs;
    for (size_t i = 0; i < variables.size(); ++i) {
      pairs.emplace_back(gradient_of(i), variables[i]);
    }
    optimizer.ApplyGradients(pairs);
  });
  std::vector<std::string> values;
  for (const VariablePtr& variable : variables) {
    for (const Tensor& copy : strategy.Run([&] { return variable->Read(); })) {
      values.push_back(ToString(copy));
    }
  }
  return values;
}

TEST(MissingGradientsTest, CountAsZeros) {
  for (const std::vector<int>& workers : kWorkers) {
    RunWorkers(workers, [&](Strategy& strategy) {
      const auto scope = strategy.Scope();
      Sgd sgd({.learning_rate = 1.0});
      const int last = strategy.num_replicas_in_sync() - 1;
      const VariablePtr v = MakeOnes(Shape{});
      for (const std::string& value : AfterStep(
               strategy, sgd, {v},
               [&](size_t) { return OnlyOn(last, Tensor::Scalar(0.25f)); })) {
        EXPECT_EQ(value, "0.75");
      }
      EXPECT_EQ(sgd.iterations(), 1);
    });
  }
}

// Both replicas have the same number of gradients, of the same shapes.
TEST(MissingGradientsTest, OfOtherVariablesAreNotMixedUp) {
  for (const std::vector<int>& workers : kWorkers) {
    RunWorkers(workers, [](Strategy& strategy) {
      const auto scope = strategy.Scope();
      Sgd sgd({.learning_rate = 1.0});
      const std::vector<VariablePtr> both = {MakeOnes(Shape{}),
                                             MakeOnes(Shape{})};
      const auto values = AfterStep(strategy, sgd, both, [](size_t i) {
        return OnlyOn(static_cast<int>(i), Tensor::Scalar(i ? 0.5f : 0.25f));
      });
      for (size_t i = 0; i < values.size(); ++i) {
        EXPECT_EQ(values[i], i < values.size() / 2 ? "0.75" : "0.5");
      }
    });
  }
}

TEST(MissingGradientsTest, OnAllReplicasKeepTheVariable) {
  for (const std::vector<int>& workers : kWorkers) {
    RunWorkers(workers, [](Strategy& strategy) {
      const auto scope = strategy.Scope();
      AdamW adamw({.learning_rate = 0.5,
                   .options = {.name = "adamw", .weight_decay = 0.5}});
      const std::vector<VariablePtr> both = {MakeOnes(Shape{}),
                                             MakeOnes(Shape{})};
      const auto values = AfterStep(strategy, adamw, both, [](size_t i) {
        return OnlyOn(i == 0 ? 0 : -1, Tensor::Scalar(0.0f));
      });
      for (size_t i = 0; i < values.size(); ++i) {
        EXPECT_EQ(values[i], i < values.size() / 2 ? "0.75" : "1");
      }
    });
  }
}

// Replica 0 has a gradient of only the second row; the others have `others`.
std::vector<std::string> AfterARow(
    Strategy& strategy, const std::optional<VariableGradient>& others) {
  const auto scope = strategy.Scope();
  Sgd sgd({.learning_rate = 1.0});
  const IndexedSlices row(Tensor::FromVector<float>({0.25f}, Shape{1, 1}),
                          Tensor::FromVector<int64_t>({1}), Shape{2, 1});
  return AfterStep(strategy, sgd, {MakeOnes(Shape{2, 1})},
                   [&](size_t) -> std::optional<VariableGradient> {
                     if (ReplicaNumber() == 0) return row;
                     return others;
                   });
}

TEST(MissingGradientsTest, WithGradientsOfRows) {
  for (const std::vector<int>& workers : kWorkers) {
    RunWorkers(workers, [](Strategy& strategy) {
      for (const std::string& value : AfterARow(strategy, std::nullopt)) {
        EXPECT_EQ(value, "[[1], [0.75]]");
      }
    });
  }
}

TEST(MissingGradientsTest, RowsAndTensors) {
  const Tensor other = Tensor::FromVector<float>({0.5f, 0}, Shape{2, 1});
  RunWorkers({2}, [&](Strategy& strategy) {
    for (const std::string& value : AfterARow(strategy, other)) {
      EXPECT_EQ(value, "[[0.5], [0.75]]");
    }
  });
}

TEST(MissingGradientsTest, WithALossScale) {
  RunWorkers({2, 1}, [](Strategy& strategy) {
    const auto scope = strategy.Scope();
    LossScaleOptimizer optimizer(
        std::make_shared<Sgd>(SgdOptions{.learning_rate = 1.0}),
        {.initial_scale = 8});
    for (const std::string& value :
         AfterStep(strategy, optimizer, {MakeOnes(Shape{})},
                   [](size_t) { return OnlyOn(1, Tensor::Scalar(4.0f)); })) {
      EXPECT_EQ(value, "0.5");
    }
  });
}

TEST(MissingGradientsTest, OfAllVariablesAreAnError) {
  for (const std::vector<int>& workers : {std::vector<int>{1}, {2}}) {
    RunWorkers(workers, [](Strategy& strategy) {
      const auto scope = strategy.Scope();
      Sgd sgd({.learning_rate = 1.0});
      const VariablePtr v = MakeOnes(Shape{});
      const auto step = [&](int replica) {
        AfterStep(strategy, sgd, {v}, [&](size_t) {
          return OnlyOn(replica, Tensor::Scalar(1.0f));
        });
      };
      ExpectError([&] { step(-1); }, Code::kInvalidArgument, "No gradients");
      step(0);
      EXPECT_EQ(sgd.iterations(), 1);
    });
  }
}

}  // namespace
}  // namespace lockstep
