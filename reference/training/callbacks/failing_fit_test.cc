// Callbacks whose writes fail, and damaged backups. Expects a typed error, that no
// earlier file is lost, and that all callbacks are closed.

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/base/error_testing.h"
#include "reference/base/failing_system_calls.h"
#include "reference/base/file_testing.h"
#include "reference/base/fuzzing/damage.h"
#include "reference/base/fuzzing/rounds.h"
#include "reference/base/log.h"
#include "reference/checkpoint/checkpoint_state.h"
#include "reference/data/dataset.h"
#include "reference/distribute/strategy.h"
#include "reference/layers/core_layers.h"
#include "reference/layers/initializers.h"
#include "reference/losses/regression_losses.h"
#include "reference/training/callbacks/backup_and_restore.h"
#include "reference/training/callbacks/csv_logger.h"
#include "reference/training/callbacks/model_checkpoint.h"
#include "reference/training/callbacks/tensor_board.h"
#include "reference/training/model/fit_progress.h"
#include "reference/training/model/model_file.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr int kShortEpochs = 1;

Sequential Slope(float first) {
  const Sequential model(
      {Input({1}),
       Dense(1, {.use_bias = false,
                 .kernel_initializer = initializers::Constant(first)})});
  model.Compile({.optimizer = "sgd", .loss = losses::MeanSquaredError()});
  return model;
}

float WeightIn(const Layer& model) {
  return model.variables()[0]->Read().item<float>();
}

void FitShortly(const Sequential& model, std::vector<CallbackPtr> callbacks) {
  model.Fit({Tensor::Full(Shape{2, 1}, 1.0f), Tensor::Zeros({2, 1})},
            {.batch_size = 1,
             .epochs = kShortEpochs,
             .callbacks = std::move(callbacks),
             .verbose = Verbose::kSilent});
}

// Counts the ends of trainings, with or without an error.
struct Closed : Callback {
  void OnClose() override { ++count; }
  int count = 0;
};

int64_t OpenFiles() {
  return std::distance(fs::directory_iterator("/proc/self/fd"), {});
}

// Trains with a callback that `make` returns, and makes each of its system calls that
// write fail in turn. Calls `expect_whole` after each failure. Returns their number.
int FailToWrite(int error_number, Code code,
                const std::function<CallbackPtr()>& make,
                const std::function<void()>& expect_whole) {
  const Sequential model = Slope(1);
  const auto closed = std::make_shared<Closed>();
  const int64_t open = OpenFiles();
  int failures = 0;
  const int calls = FailEachCall(
      error_number,
      [&] {
        FitShortly(model, {make(), closed});
      },
      [&](const Error& error) {
        EXPECT_EQ(error.code(), code) << error.what();
        EXPECT_EQ(closed->count, ++failures);
        EXPECT_EQ(OpenFiles(), open);
        expect_whole();
      });
  EXPECT_EQ(closed->count, calls + 1);  // and the last one trained
  return calls;
}

TEST(FailingFitTest, LogHasCompleteLines) {
  const TestFolder folder;
  const std::string file = folder / "log.csv";
  WriteWholeFile(file, "epoch,loss\n7,0.5\n");
  const auto make = [&] { return MakeCallback<CSVLogger>(file, ",", true); };
  const auto expect_whole = [&] {
    const std::string text = ReadWholeFile(file);
    EXPECT_TRUE(text.starts_with("epoch,loss\n7,0.5\n")) << text;
    EXPECT_TRUE(text.ends_with("\n"));
    EXPECT_EQ(folder.names().size(), 1u);
  };
  // Asked for at the start; then opened, written, synced and named.
  EXPECT_GE(FailToWrite(ENOSPC, Code::kResourceExhausted, make, expect_whole),
            6);
  FailToWrite(EROFS, Code::kUnavailable, make, expect_whole);
}

TEST(FailingFitTest, KeepsSavedModels) {
  const TestFolder folder;
  const std::string file = folder / "model.keras";
  Slope(5).Save(file);
  const auto make = [&] { return MakeCallback<ModelCheckpoint>(file); };
  const auto expect_whole = [&] {
    EXPECT_NE(WeightIn(LoadModel(file)), 0);
    EXPECT_EQ(folder.names(), std::vector<std::string>{"model.keras"});
  };
  EXPECT_GE(FailToWrite(ENOSPC, Code::kResourceExhausted, make, expect_whole),
            5);
  FailToWrite(EROFS, Code::kUnavailable, make, expect_whole);
}

TEST(FailingFitTest, KeepsSavedWeights) {
  const TestFolder folder;
  Slope(5).SaveWeights(folder / "ckpt_0");
  const int calls = FailToWrite(
      ENOSPC, Code::kResourceExhausted,
      [&] {
        return MakeCallback<ModelCheckpoint>(
            folder / "ckpt_{epoch}",
            ModelCheckpointOptions{.save_weights_only = true});
      },
      [&] {
        const Sequential model = Slope(0);
        model.LoadWeights(*LatestCheckpoint(folder.path()));
        EXPECT_NE(WeightIn(model), 0);
        model.LoadWeights(folder / "ckpt_0");
        EXPECT_EQ(WeightIn(model), 5);
      });
  EXPECT_GE(calls, 12);  // three files
}

TEST(FailingFitTest, EventsAndBackups) {
  const TestFolder folder;
  EXPECT_GE(
      FailToWrite(
          EROFS, Code::kUnavailable,
          [&] { return MakeCallback<TensorBoard>(folder / "logs"); }, [] {}),
      6);
  const std::string backup = folder / "backup";
  EXPECT_GE(FailToWrite(
                ENOSPC, Code::kResourceExhausted,
                [&] { return MakeCallback<BackupAndRestore>(backup); },
                [&] { fs::remove_all(backup); }),
            12);
}

// A backup of one epoch, and a model into which it is restored.
class DamagedBackupTest : public testing::Test {
 protected:
  DamagedBackupTest() {
    const BackupAndRestoreOptions options{.delete_checkpoint = false};
    const Sequential model = Slope(4);
    FitShortly(model, {MakeCallback<BackupAndRestore>(backup_, options)});
    saved_ = WeightIn(model);
    for (const auto& file : fs::directory_iterator(backup_)) {
      files_.push_back(file.path());
    }
  }

  // Resumes training with `bytes` as a file's content. Returns false if that is
  // DataLoss that names the file, after which nothing was restored.
  bool IsUnnoticed(const std::string& file, const std::string& bytes) {
    fs::remove(file);  // ext4 waits for the disk when it truncates
    WriteWholeFile(file, bytes);
    const BackupAndRestoreOptions options{.delete_checkpoint = false};
    model_.SetWeights(
        {{model_.variables()[0]->name(), Tensor::Full({1, 1}, 9.0f)}});
    try {
      FitShortly(model_, {MakeCallback<BackupAndRestore>(backup_, options)});
      EXPECT_EQ(WeightIn(model_), saved_) << file;
      return true;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kDataLoss) << error.what();
      EXPECT_NE(std::string(error.what()).find(backup_), std::string::npos)
          << error.what();
      EXPECT_EQ(WeightIn(model_), 9);
      return false;
    }
  }

  const LogCapture
      log_;  // warnings about missing checkpoints and unused values
  const TestFolder folder_;
  const std::string backup_ = folder_ / "backup";
  const Sequential model_ = Slope(9);
  float saved_ = 0;
  std::vector<std::string> files_;
};

TEST_F(DamagedBackupTest, EveryByteAndTruncations) {
  ASSERT_EQ(files_.size(), 3u);
  for (const std::string& file : files_) {
    const std::string whole = ReadWholeFile(file);
    int unnoticed = 0;
    for (size_t i = 0; i < whole.size(); ++i) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ 0x15);
      unnoticed += IsUnnoticed(file, damaged);
      if (i % 4 == 0) unnoticed += IsUnnoticed(file, whole.substr(0, i));
    }
    // Unused parts may change: metrics of the complete epoch in the data, the
    // empty block of the index, times and older backups in the text file.
    EXPECT_LE(unnoticed, 80) << file;
    EXPECT_TRUE(IsUnnoticed(file, whole));
  }
}

TEST_F(DamagedBackupTest, RandomDamage) {
  for (const std::string& file : files_) {
    const std::string whole = ReadWholeFile(file);
    ForDamagedCopies(whole, 20 * TestRounds(), [&](const std::string& damaged) {
      IsUnnoticed(file, damaged);
    });
    EXPECT_TRUE(IsUnnoticed(file, whole));
  }
}

TEST(FitProgressTest, InvalidProgressChangesNothing) {
  FitProgress progress(
      GetStrategy().DistributeDataset(Dataset::Range(4).Shuffle(4).Batch(2)),
      /*initial_epoch=*/3);
  const Trackable::Value value = progress.values().at(0);
  const auto with = [](const std::string& key, const std::string& word) {
    std::string text = R"({"format":1,"epoch":2,"step":1,)"
                       R"("trained_of_pass":1,"passes":[1,2]})";
    const size_t begin = text.find(key) + key.size() + 2;
    return text.replace(
        begin, text.find_first_of(key == "passes" ? "}" : ",}", begin) - begin,
        word);
  };
  const auto refuse = [&](const std::string& saved, Code code,
                          const std::string& words) {
    ExpectError([&] { value.restore(Tensor::Scalar(saved)); }, code, words);
    EXPECT_EQ(progress.epoch(), 3);
    EXPECT_EQ(progress.step(), 0);
  };
  refuse("", Code::kDataLoss, "saved progress");
  refuse("[1]", Code::kDataLoss, "not an object");
  refuse("{}", Code::kInvalidArgument, "format null, wanted 1");
  refuse(with("format", "2"), Code::kInvalidArgument, "format 2, wanted 1");
  for (const char* count :
       {"-1", "1.5", "\"1\"", "null", "1e300", "9223372036854775807"}) {
    refuse(with("epoch", count), Code::kDataLoss, "'epoch'");
    refuse(with("step", count), Code::kDataLoss, "'step'");
    refuse(with("trained_of_pass", count), Code::kDataLoss,
           "'trained_of_pass'");
  }
  for (const char* passes : {"1", "[1,-2]", "[1,\"2\"]", "{}"}) {
    refuse(with("passes", passes), Code::kDataLoss, "'passes'");
  }
  refuse(with("passes", "[1,2,3,4]"), Code::kInvalidArgument, "other shuffles");
  value.restore(Tensor::Scalar(with("epoch", "2")));
  EXPECT_EQ(progress.epoch(), 2);
  EXPECT_EQ(progress.step(), 1);
}

}  // namespace
}  // namespace lockstep
