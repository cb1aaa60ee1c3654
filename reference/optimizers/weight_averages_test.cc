#include "reference/optimizers/weight_averages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "reference/base/error.h"
#include "reference/base/error_testing.h"
#include "reference/base/naming/object_config.h"
#include "reference/optimizers/loss_scale_optimizer.h"
#include "reference/optimizers/update_rules.h"

namespace lockstep {
namespace {

VariablePtr Scalar(float value, const std::string& name = "v") {
  return MakeVariable(
      {.initial_value = [value] { return Tensor::Scalar(value); },
       .name = name});
}

float ValueOf(const VariablePtr& variable) {
  return variable->Read().item<float>();
}

SgdOptions Averaged(std::optional<int64_t> overwrite_frequency = std::nullopt) {
  return {.learning_rate = 1.0,
          .options = {.name = "SGD",
                      .use_ema = true,
                      .ema_momentum = 0.5,
                      .ema_overwrite_frequency = overwrite_frequency}};
}

// Computed by hand; equal to Keras 3.15.1.
TEST(WeightAveragesTest, FollowTheVariables) {
  Sgd sgd(Averaged());
  const VariablePtr v = Scalar(16);
  std::vector<float> averages;
  for (int i = 0; i < 4; ++i) {
    sgd.ApplyGradients({{Tensor::Scalar(4.0f), v}});
    averages.push_back(ValueOf(sgd.Slot(*v, "average")));
  }
  EXPECT_EQ(averages, (std::vector<float>{12, 10, 7, 3.5}));
  EXPECT_EQ(ValueOf(v), 0);
  sgd.FinalizeVariableValues({v});
  EXPECT_EQ(ValueOf(v), 3.5);
}

TEST(WeightAveragesTest, OverwriteTheVariables) {
  Sgd sgd(Averaged(2));
  const VariablePtr v = Scalar(16);
  std::vector<float> values;
  for (int i = 0; i < 4; ++i) {
    sgd.ApplyGradients({{Tensor::Scalar(4.0f), v}});
    values.push_back(ValueOf(v));
  }
  EXPECT_EQ(values, (std::vector<float>{12, 10, 6, 5}));
}

TEST(WeightAveragesTest, FollowVariablesWithoutGradient) {
  Sgd sgd(Averaged());
  const VariablePtr v = Scalar(16), still = Scalar(8, "still");
  sgd.ApplyGradients({{Tensor::Scalar(4.0f), v}, {std::nullopt, still}});
  EXPECT_EQ(ValueOf(sgd.Slot(*still, "average")), 8);
  still->Assign(Tensor::Scalar(4.0f));
  sgd.ApplyGradients({{Tensor::Scalar(4.0f), v}});
  EXPECT_EQ(ValueOf(sgd.Slot(*still, "average")), 6);
}

TEST(WeightAveragesTest, StayOnSkippedSteps) {
  const auto sgd = std::make_shared<Sgd>(Averaged(1));
  LossScaleOptimizer scaled(sgd, {.initial_scale = 1});
  const VariablePtr v = Scalar(16);
  scaled.ApplyGradients({{Tensor::Scalar(4.0f), v}});
  v->Assign(Tensor::Scalar(2.0f));
  scaled.ApplyGradients({{Tensor::Scalar(INFINITY), v}});
  EXPECT_EQ(ValueOf(scaled.Slot(*v, "average")), 12);
  EXPECT_EQ(ValueOf(v), 2);
  scaled.FinalizeVariableValues({v});
  EXPECT_EQ(ValueOf(v), 12);
}

TEST(WeightAveragesTest, KeepVariablesBeforeTheFirstStep) {
  Sgd sgd(Averaged());
  const VariablePtr v = Scalar(16);
  sgd.Build({v});
  sgd.FinalizeVariableValues({v});
  EXPECT_EQ(ValueOf(v), 16);
  EXPECT_EQ(CodeOf([&] { Sgd().Slot(*v, "average"); }), Code::kNotFound);
}

TEST(WeightAveragesTest, RefuseUntrainedVariables) {
  Sgd sgd(Averaged());
  const VariablePtr v = Scalar(16), other = Scalar(8, "other");
  sgd.ApplyGradients({{Tensor::Scalar(4.0f), v}});
  EXPECT_EQ(CodeOf([&] { sgd.FinalizeVariableValues({other}); }),
            Code::kInvalidArgument);
}

TEST(WeightAveragesTest, RefuseInvalidSettings) {
  SgdOptions config = Averaged(-1);
  EXPECT_EQ(CodeOf([&] { Sgd{config}; }), Code::kInvalidArgument);
  config = Averaged();
  config.options.ema_momentum = 1.5;
  EXPECT_EQ(CodeOf([&] { Sgd{config}; }), Code::kInvalidArgument);
}

// As tracked by Keras 3.15.1: all averages before the state of the rule.
TEST(WeightAveragesTest, HaveKerasNamesInCheckpoints) {
  Adam adam({.options = {.name = "adam", .use_ema = true}});
  adam.Build({Scalar(1, "v"), Scalar(1, "w")});
  std::vector<std::string> names;
  for (const VariablePtr& variable : adam.variables()) {
    names.push_back(variable->name());
  }
  EXPECT_EQ(names, (std::vector<std::string>{
                       "adam/iteration", "adam/learning_rate", "adam/v_average",
                       "adam/w_average", "adam/v_momentum", "adam/v_velocity",
                       "adam/w_momentum", "adam/w_velocity"}));
  const auto& children = adam.children();
  const auto list =
      std::ranges::find(children, "_model_variables_moving_average",
                        [](const auto& child) { return child.name; });
  ASSERT_NE(list, children.end());
  EXPECT_EQ(list->object->children().size(), 2u);
}

TEST(WeightAveragesTest, AreInTheConfiguration) {
  const ObjectConfig config = Sgd(Averaged(3)).Config();
  const auto find = [&](std::string_view name) {
    return std::ranges::find(config.settings, name,
                             [](const auto& setting) { return setting.first; })
        ->second;
  };
  EXPECT_EQ(std::get<bool>(find("use_ema")), true);
  EXPECT_EQ(std::get<double>(find("ema_momentum")), 0.5);
  EXPECT_EQ(std::get<int64_t>(find("ema_overwrite_frequency")), 3);
}

}  // namespace
}  // namespace lockstep
