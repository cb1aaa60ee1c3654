// A fit of two replicas that reads files and writes all kinds of files, with fewer
// open files, threads or bytes than it needs. It must fail with an error that names
// the limit, or succeed.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "reference/base/failing_system_calls.h"
#include "reference/base/file_testing.h"
#include "reference/base/fuzzing/rounds.h"
#include "reference/base/limits/allocation_limit.h"
#include "reference/base/limits/limited_process.h"
#include "reference/data/dataset.h"
#include "reference/data/tf_record_writer.h"
#include "reference/distribute/distribute_testing.h"
#include "reference/distribute/mirrored_strategy.h"
#include "reference/layers/core_layers.h"
#include "reference/losses/regression_losses.h"
#include "reference/optimizers/update_rules.h"
#include "reference/training/callbacks/backup_and_restore.h"
#include "reference/training/callbacks/csv_logger.h"
#include "reference/training/callbacks/model_checkpoint.h"
#include "reference/training/callbacks/tensor_board.h"
#include "reference/training/model/model.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

class LimitedFitTest : public testing::Test {
 protected:
  static constexpr int kRecordFiles = 2;
  static constexpr char kNoMemory[] = "std::bad_alloc";
  static constexpr char kOlderLog[] = "epoch,loss\n7,0.5\n";

  LimitedFitTest() {
    for (int file = 0; file < kRecordFiles; ++file) {
      TFRecordWriter writer(RecordFile(file));
      for (float x = 1; x <= 4; ++x) {
        writer.Write({reinterpret_cast<const char*>(&x), sizeof(x)});
      }
      writer.Close();
    }
  }

  std::string RecordFile(int file) const {
    return folder_ / ("records" + std::to_string(file));
  }

  // Pairs (x, x) from the files.
  Dataset Examples() const {
    return Dataset::FromTFRecords({RecordFile(0), RecordFile(1)})
        .Map([](const Structure& record) {
          const auto bytes = record.leaf().item<std::string>();
          float x = 0;
          std::memcpy(&x, bytes.data(), sizeof(x));
          const Tensor value = Tensor::FromVector<float>({x}, Shape{1});
          return Structure::Tuple({value, value});
        });
  }

  // All callbacks that write files, to `folder`.
  std::vector<CallbackPtr> Writers(const std::string& folder) const {
    const ModelCheckpointOptions weights{.save_weights_only = true};
    const BackupAndRestoreOptions kept{.save_freq = 1,
                                       .delete_checkpoint = false};
    std::vector<CallbackPtr> writers = {
        MakeCallback<CSVLogger>(folder + "/log.csv", ",", true),
        MakeCallback<TensorBoard>(folder + "/events"),
        MakeCallback<ModelCheckpoint>(folder + "/ckpt_{epoch}", weights),
        MakeCallback<BackupAndRestore>(folder + "/backup", kept)};
    if (writes_hdf5_) {
      writers.push_back(MakeCallback<ModelCheckpoint>(folder + "/model.keras"));
    }
    return writers;
  }

  static void Train(const Dataset& examples,
                    const std::vector<CallbackPtr>& callbacks) {
    SetRandomSeed(3);
    const auto strategy = MakeStrategy(2);
    const auto scope = strategy->Scope();
    const Sequential model({Input({1}), Dense(1)});
    model.Compile({.optimizer = "adam", .loss = losses::MeanSquaredError()});
    model.Fit(
        examples.Shuffle(8, /*seed=*/1).Batch(4).Prefetch(2),
        {.epochs = 2, .callbacks = callbacks, .verbose = Verbose::kSilent});
  }

  // The examples are also cached in a file.
  void TrainAndWrite(const std::string& folder) const {
    Train(Examples().Cache(folder + "/cache"), Writers(folder));
  }

  // Trains with `limit(0)`, `limit(1)`, ... until one is enough, in a folder with a log
  // of an older training. Each failure must name an operation, and a training without
  // a limit must then resume in the same folder. Returns the limit that is enough.
  int TrainUnder(const std::function<void(int much)>& limit,
                 const std::string& words = "") {
    const std::string folder = folder_ / "run";
    for (int much = 0;; ++much) {
      fs::create_directories(folder);
      WriteWholeFile(folder + "/log.csv", kOlderLog);
      const std::string end = EndOf([&] {
        limit(much);
        TrainAndWrite(folder);
      });
      if (end.empty()) return much;
      EXPECT_NE(end.find(words), end.npos) << much << ": " << end;
      EXPECT_TRUE(end == kNoMemory || end.find(": [") != end.npos) << end;
      RecordProperty("end" + std::to_string(much), end);
      EXPECT_TRUE(ReadWholeFile(folder + "/log.csv").starts_with(kOlderLog));
      EXPECT_EQ(EndOf([&] { TrainAndWrite(folder); }), "") << much;
      fs::remove_all(folder);
    }
  }

  const TestFolder folder_;
  bool writes_hdf5_ = true;
};

TEST_F(LimitedFitTest, FewOpenFiles) {
  const uint64_t open = OpenFiles();
  const int enough =
      TrainUnder([&](int more) { LimitResource(RLIMIT_NOFILE, open + more); },
                 "Too many open files");
  EXPECT_GE(enough, 3);
}

TEST_F(LimitedFitTest, FewThreads) {
  const int enough = TrainUnder(
      [](int more) {
        new ThreadLimit(more);  // lives as long as the process
      },
      "more threads");
  EXPECT_GE(enough, 2);  // one per replica
}

// The HDF5 library exits if it cannot allocate memory when it starts.
TEST_F(LimitedFitTest, LittleMemory) {
  writes_hdf5_ = false;
  const uint64_t step = (uint64_t{32} << 20) / TestRounds();
  const int enough = TrainUnder([&](int more) {
    LimitResource(RLIMIT_AS, AddressSpace() + more * step);
  });
  EXPECT_GE(enough, 1);
}

// Some allocations of each kind fail. (Not in writers: they use JSON and list
// folders, and these libraries exit if an allocation fails.)
TEST_F(LimitedFitTest, FewObjects) {
  const int64_t step = std::max(400 / TestRounds(), 1);
  std::string end = kNoMemory;
  for (int64_t more = 0; !end.empty(); more += step) {
    end = EndOf([&] {
      const AllocationLimit limit(more);
      Train(Examples(), {});
    });
    EXPECT_TRUE(end.empty() || end == kNoMemory) << end;
  }
}

TEST_F(LimitedFitTest, SmallFiles) {
  const uint64_t step = std::max(512 / TestRounds(), 1);
  const int enough =
      TrainUnder([&](int more) { LimitResource(RLIMIT_FSIZE, more * step); },
                 "File too large");
  EXPECT_GE(enough, 5);
}

}  // namespace
}  // namespace lockstep
