// Reads the event files, record by record.

#include "reference/training/callbacks/tensor_board.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/base/file_testing.h"
#include "reference/data/dataset.h"
#include "reference/layers/core_layers.h"
#include "reference/layers/initializers.h"
#include "reference/losses/regression_losses.h"
#include "reference/training/model/model.h"
#include "reference/training/summary/event.pb.h"

namespace lockstep {
namespace {

// Tag -> its (step, first number), in order, from all files of a run.
using Curves = std::map<std::string, std::vector<std::pair<int64_t, float>>>;

Curves CurvesOf(const std::string& run) {
  Curves curves;
  for (const auto& file : std::filesystem::directory_iterator(run)) {
    for (const Structure& record : Dataset::FromTFRecords({file.path()})) {
      summary::Event event;
      EXPECT_TRUE(event.ParseFromString(record.leaf().item<std::string>()));
      for (const auto& value : event.summary().value()) {
        const auto& tensor = value.tensor();
        curves[value.tag()].emplace_back(
            event.step(), tensor.float_val_size() > 0 ? tensor.float_val(0)
                                                      : tensor.double_val(0));
      }
    }
  }
  return curves;
}

void TrainWith(const TensorBoardOptions& options, const std::string& folder) {
  const Sequential model(
      {Dense(1, {.use_bias = false,
                 .kernel_initializer = initializers::Constant(1),
                 .name = "slope"})});
  model.Compile({.optimizer = "sgd", .loss = losses::MeanSquaredError()});
  model.optimizer().SetLearningRate(0);
  const Tensor x = Tensor::FromVector<float>({1, 2}, Shape{2, 1});
  const TrainingData data(x, Tensor::Zeros({2, 1}));
  model.Fit(data, {.batch_size = 1,
                   .epochs = 3,
                   .shuffle = false,
                   .validation_data = data,
                   .callbacks = {MakeCallback<TensorBoard>(folder, options)},
                   .verbose = Verbose::kSilent});
}

TEST(TensorBoardTest, WritesACurvePerNumber) {
  const TestFolder folder;
  TrainWith({}, folder.path());
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"train", "validation"}));
  Curves expected = {{"epoch_loss", {{0, 2.5}, {1, 2.5}, {2, 2.5}}},
                     {"epoch_learning_rate", {{0, 0}, {1, 0}, {2, 0}}}};
  EXPECT_EQ(CurvesOf(folder / "train"), expected);
  expected.erase("epoch_learning_rate");
  EXPECT_EQ(CurvesOf(folder / "validation"), expected);
}

TEST(TensorBoardTest, WritesBatchesHistogramsAndSpeed) {
  const TestFolder folder;
  TrainWith(
      {.histogram_freq = 2, .write_steps_per_second = true, .update_freq = 2},
      folder.path());
  Curves curves = CurvesOf(folder / "train");
  EXPECT_EQ(curves["batch_loss"],
            (Curves::mapped_type{{2, 2.5}, {4, 2.5}, {6, 2.5}}));
  // The only weight is 1: buckets from 1 to 1, of the first epoch and the third.
  EXPECT_EQ(curves["slope/kernel/histogram"],
            (Curves::mapped_type{{0, 1}, {2, 1}}));
  ASSERT_EQ(curves["epoch_steps_per_second"].size(), 3u);
  EXPECT_GT(curves["epoch_steps_per_second"][0].second, 0);
  EXPECT_EQ(curves.size(), 5u);
}

TEST(TensorBoardTest, ErrorsNameTheFile) {
  const TestFolder folder;
  WriteWholeFile(folder / "file", "");
  ExpectError([&] { TrainWith({}, folder / "file"); }, Code::kUnavailable,
              "file/train");
  ExpectError([] { TensorBoard(""); }, Code::kInvalidArgument,
              "folder is empty");
  ExpectError([] { TensorBoard("a", {.update_freq = -1}); },
              Code::kInvalidArgument, "got 0 and -1");
}

}  // namespace
}  // namespace lockstep
