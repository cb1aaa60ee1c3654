// Gradients of rows have the same effect as dense ones.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

#include "reference/autodiff/indexed_slices.h"
#include "reference/base/error_testing.h"
#include "reference/optimizers/loss_scale_optimizer.h"
#include "reference/optimizers/update_rules.h"

namespace lockstep {
namespace {

VariablePtr MakeTable() {
  return MakeVariable({.initial_value = [] {
    return Tensor::FromVector<float>({1, -2, 3, -4, 5, -6, 7, -8}, Shape{4, 2});
  }});
}

IndexedSlices RowsOf(const std::vector<float>& values,
                     const std::vector<int64_t>& rows) {
  const auto count = static_cast<int64_t>(rows.size());
  return {Tensor::FromVector(values, Shape{count, 2}), Tensor::FromVector(rows),
          Shape{4, 2}};
}

// Three steps; some rows appear twice, some not at all.
const std::vector<IndexedSlices> kSteps = {
    RowsOf({1, 2, 0.5f, -0.5f, 3, 4}, {2, 0, 2}), RowsOf({}, {}),
    RowsOf({-1, 0.25f, 8, 9}, {3, 2})};

using MakeOptimizer = std::function<std::unique_ptr<Optimizer>()>;

void ExpectRowsDoWhatTensorsDo(const MakeOptimizer& make) {
  const std::unique_ptr<Optimizer> by_rows = make(), by_tensors = make();
  const VariablePtr rows = MakeTable(), tensors = MakeTable();
  for (const IndexedSlices& step : kSteps) {
    by_rows->ApplyGradients({{step, rows}});
    by_tensors->ApplyGradients({{step.ToDense(), tensors}});
    EXPECT_EQ(ToString(rows->Read()), ToString(tensors->Read()));
  }
  EXPECT_EQ(by_rows->iterations(), 3);
  const auto state = by_rows->variables(), expected = by_tensors->variables();
  for (size_t i = 0; i < state.size(); ++i) {
    EXPECT_EQ(ToString(state[i]->Read()), ToString(expected[i]->Read()));
  }
}

template <typename T, typename Config>
MakeOptimizer With(const Config& config) {
  return [config] { return std::make_unique<T>(config); };
}

TEST(RowGradientsTest, EqualTensorsWithEveryOptimizer) {
  ExpectRowsDoWhatTensorsDo(With<Sgd>(SgdOptions{}));
  ExpectRowsDoWhatTensorsDo(With<Sgd>(SgdOptions{.momentum = 0.9}));
  ExpectRowsDoWhatTensorsDo(With<Adagrad>(AdagradOptions{}));
  ExpectRowsDoWhatTensorsDo(With<RmsProp>(RmsPropOptions{}));
  ExpectRowsDoWhatTensorsDo(With<Adam>(AdamOptions{}));
  ExpectRowsDoWhatTensorsDo(With<AdamW>(AdamWOptions{}));
}

TEST(RowGradientsTest, AreDecayedAndClippedLikeTensors) {
  ExpectRowsDoWhatTensorsDo(
      With<Sgd>(SgdOptions{.options = {.name = "sgd", .weight_decay = 0.5}}));
  ExpectRowsDoWhatTensorsDo(
      With<Sgd>(SgdOptions{.options = {.name = "sgd", .clipnorm = 2.0}}));
  ExpectRowsDoWhatTensorsDo(With<Adagrad>(
      AdagradOptions{.options = {.name = "a", .clipvalue = 1.0}}));
}

TEST(RowGradientsTest, GoThroughALossScale) {
  ExpectRowsDoWhatTensorsDo([] {
    return std::make_unique<LossScaleOptimizer>(
        std::make_shared<Sgd>(),
        LossScaleOptions{.initial_scale = 4, .dynamic_growth_steps = 2});
  });
}

TEST(RowGradientsTest, MixWithTensors) {
  Sgd optimizer({.learning_rate = 1.0});
  const VariablePtr table = MakeTable();
  const VariablePtr other = MakeVariable(
      {.initial_value = [] { return Tensor::FromVector<float>({5}); }});
  optimizer.ApplyGradients(ZipRows(
      {RowsOf({1, 1}, {1}), Tensor::FromVector<float>({2})}, {table, other}));
  EXPECT_EQ(ToString(table->Read()), "[[1, -2], [2, -5], [5, -6], [7, -8]]");
  EXPECT_EQ(other->Read().at<float>(0), 3);
}

TEST(RowGradientsTest, RefuseOtherShapes) {
  Sgd optimizer;
  const VariablePtr other = MakeVariable({.initial_value = [] {
    return Tensor::Zeros(Shape{3, 2});
  }});
  ExpectError(
      [&] {
        optimizer.ApplyGradients({{RowsOf({1, 1}, {1}), other}});
      },
      Code::kInvalidArgument, "(4, 2)");
}

}  // namespace
}  // namespace lockstep
