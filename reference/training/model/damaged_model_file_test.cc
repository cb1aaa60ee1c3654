// Damaged .keras files, and saves that fail or are killed at any point.
#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/base/failing_system_calls.h"
#include "reference/base/file_testing.h"
#include "reference/base/fuzzing/damage.h"
#include "reference/base/fuzzing/rounds.h"
#include "reference/export/keras/keras_model.h"
#include "reference/export/keras/keras_weights.h"
#include "reference/file_formats/damage_testing.h"
#include "reference/file_formats/zip_archive.h"
#include "reference/layers/core_layers.h"
#include "reference/layers/initializers.h"
#include "reference/training/model/model.h"

namespace lockstep {
namespace {

using Floats = std::vector<float>;
using export_internal::WriteZip;

Model OneWeight(float value) {
  return Sequential({Input({1}), Dense(1, {.use_bias = false,
                                           .kernel_initializer =
                                               initializers::Constant(value)})},
                    "model");
}

Floats WeightsOf(const Layer& model) {
  return model.variables()[0]->Read().ToVector<float>();
}

class DamagedKerasTest : public testing::Test {
 protected:
  Floats Load(const std::string& bytes) {
    // ext4 waits for the disk when it truncates.
    std::filesystem::remove(folder_ / "damaged.keras");
    WriteWholeFile(folder_ / "damaged.keras", bytes);
    return WeightsOf(LoadKerasModel(folder_ / "damaged.keras").model);
  }
  std::string Saved() {
    SaveKerasModel(folder_ / "whole.keras", OneWeight(2.5));
    return ReadWholeFile(folder_ / "whole.keras");
  }

  TestFolder folder_;
};

TEST_F(DamagedKerasTest, EveryTruncation) {
  const std::string bytes = Saved();
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(CodeOf([&] { Load(bytes.substr(0, size)); }), Code::kDataLoss);
  }
}

TEST_F(DamagedKerasTest, EveryByte) {
  const std::string bytes = Saved();
  const Floats expected = Load(bytes);
  int unnoticed = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0xff);
    try {
      EXPECT_EQ(Load(damaged), expected) << i;
      ++unnoticed;
    } catch (const Error& error) {
      // A member may now be said to be encrypted.
      EXPECT_TRUE(error.code() == Code::kDataLoss ||
                  error.code() == Code::kUnimplemented)
          << error.what();
      EXPECT_NE(std::string(error.what()).find("damaged.keras"),
                std::string::npos)
          << error.what();
    }
  }
  // Only unused parts may change: dates, attributes and the writer's version in
  // three entries of the archive, and metadata.json.
  EXPECT_LT(unnoticed, 200);
}

TEST_F(DamagedKerasTest, RandomDamage) {
  const std::string bytes = Saved();
  const Floats expected = Load(bytes);
  ForDamagedCopies(bytes, 100 * TestRounds(), [&](const std::string& damaged) {
    try {
      EXPECT_EQ(Load(damaged), expected);
    } catch (const Error& error) {
      EXPECT_NE(error.code(), Code::kInternal) << error.what();
      EXPECT_NE(std::string(error.what()).find("damaged.keras"),
                std::string::npos)
          << error.what();
    }
  });
}

TEST_F(DamagedKerasTest, WrongMembers) {
  ExpectError(
      [&] {
        Load(WriteZip({{"config.json", "{}"}}));
      },
      Code::kNotFound, "model.weights.h5");
  ExpectError(
      [&] {
        Load(WriteZip({{"config.json", "{"}, {"model.weights.h5", ""}}));
      },
      Code::kDataLoss, "config.json");
  ExpectError(
      [&] {
        Load(WriteZip({{"config.json", "{}"}, {"model.weights.h5", "x"}}));
      },
      Code::kDataLoss, "HDF5");
}

// A config that asks for more weights than the file has is refused before they
// are made.
TEST_F(DamagedKerasTest, AbsurdConfig) {
  const std::string bytes = Saved();
  const export_internal::ZipReader archive(bytes, "whole");
  std::string config = archive.Read("config.json", 1 << 20);
  const std::string weights = archive.Read("model.weights.h5", 1 << 20);
  const std::string units = "\"units\":1";
  ASSERT_NE(config.find(units), std::string::npos);
  config.replace(config.find(units), units.size(), "\"units\":2000000000");
  ExpectError(
      [&] {
        Load(
            WriteZip({{"config.json", config}, {"model.weights.h5", weights}}));
      },
      Code::kInvalidArgument, "beyond the 1 elements");
}

// Saving a model, or its weights, over an older file.
struct Saving {
  const char* file;
  void (*save)(const std::string& file, const Model& model);
  float (*load)(const std::string& file);
};

const Saving kSavings[] = {{"model.keras",
                            [](const std::string& file, const Model& model) {
                              SaveKerasModel(file, model);
                            },
                            [](const std::string& file) {
                              return WeightsOf(LoadKerasModel(file).model)[0];
                            }},
                           {"model.weights.h5",
                            [](const std::string& file, const Model& model) {
                              SaveKerasWeights(file, model);
                            },
                            [](const std::string& file) {
                              const Model model = OneWeight(0);
                              LoadKerasWeights(file, model);
                              return WeightsOf(model)[0];
                            }}};

TEST_F(DamagedKerasTest, CompressedWeightsHaveALimit) {
  const auto weights_of = [&](size_t bytes) {
    const std::string file =
        export_internal::DeflatedZip("model.weights.h5", std::string(bytes, 0));
    WriteWholeFile(folder_ / "bomb.keras", file);
    LoadKerasWeights(folder_ / "bomb.keras", OneWeight(1));
  };
  const size_t most = 16 << 20;
  ExpectError([&] { weights_of(most + 1); }, Code::kInvalidArgument,
              "16777217 bytes, of 16777216 at most");
  // Read to its end, and found to be no weights.
  EXPECT_EQ(CodeOf([&] { weights_of(most); }), Code::kDataLoss);
}

TEST(InterruptedKerasTest, FailedSystemCallLeavesTheOldFile) {
  for (const auto& [name, save, load] : kSavings) {
    const TestFolder folder;
    const std::string file = folder / name;
    const Model model = OneWeight(2);
    save(file, OneWeight(1));
    const int calls = FailEachCall(
        ENOSPC, [&, save = save] { save(file, model); },
        [&, load = load, name = name](const Error& error) {
          EXPECT_EQ(error.code(), Code::kResourceExhausted) << error.what();
          EXPECT_EQ(folder.names(), std::vector<std::string>{name});
          const float stored = load(file);
          EXPECT_TRUE(stored == 1 || stored == 2);
        });
    EXPECT_GE(calls, 5);  // open, write, fsync, a name, fsync
    EXPECT_EQ(load(file), 2);
  }
}

TEST(InterruptedKerasTest, KilledSaveLeavesACompleteFile) {
  const Model old_model = OneWeight(1), new_model = OneWeight(2);
  for (const auto& [name, save, load] : kSavings) {
    const TestFolder folder;
    const std::string file = folder / name;
    bool killed = true;
    for (int which = 1; killed; ++which) {
      save(file, old_model);
      killed = KilledAt(which, [&, save = save] { save(file, new_model); });
      const float stored = load(file);
      EXPECT_TRUE(stored == 1 || (stored == 2 && which > 3)) << which;
    }
    EXPECT_EQ(load(file), 2);
  }
}

}  // namespace
}  // namespace lockstep
