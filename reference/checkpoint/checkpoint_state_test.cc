#include "reference/checkpoint/checkpoint_state.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "reference/base/log.h"
#include "reference/checkpoint/checkpoint_testing.h"

namespace lockstep {
namespace {

using namespace checkpoint_internal;  // NOLINT: a test of this folder

TEST(CheckpointStateTest, ReadsTheStateOfTensorFlowsManager) {
  const std::string folder = TensorFlowFile("manager");
  const CheckpointState state = *ReadCheckpointState(folder);
  EXPECT_EQ(state.model_checkpoint_path, folder + "/ckpt-3");
  EXPECT_EQ(state.all_model_checkpoint_paths,
            (std::vector<std::string>{folder + "/ckpt-2", folder + "/ckpt-3"}));
  EXPECT_EQ(state.all_model_checkpoint_timestamps.size(), 2u);
  EXPECT_GT(state.last_preserved_timestamp, 1.7e9);
  EXPECT_EQ(LatestCheckpoint(folder), folder + "/ckpt-3");
}

TEST(CheckpointStateTest, WritesBackWhatItRead) {
  const TestFolder folder;
  const std::string text = ReadWholeFile(TensorFlowFile("manager/checkpoint"));
  WriteWholeFile(folder / "checkpoint", text);
  WriteCheckpointState(folder.path(), *ReadCheckpointState(folder.path()));
  EXPECT_EQ(ReadWholeFile(folder / "checkpoint"), text);
}

TEST(CheckpointStateTest, PathsAreRelativeInTheFileAndLeadWithTheFolder) {
  const TestFolder folder;
  CheckpointState state;
  state.model_checkpoint_path = folder / "a/../b-2";
  state.all_model_checkpoint_paths = {folder / "sub/a \"quoted\"-1",
                                      folder / "b-2"};
  WriteCheckpointState(folder.path() + "/", state);
  EXPECT_EQ(ReadWholeFile(folder / "checkpoint"),
            "model_checkpoint_path: \"b-2\"\n"
            "all_model_checkpoint_paths: \"sub/a \\\"quoted\\\"-1\"\n"
            "all_model_checkpoint_paths: \"b-2\"\n");
  const CheckpointState read = *ReadCheckpointState(folder.path());
  EXPECT_EQ(read.model_checkpoint_path, folder / "b-2");
  EXPECT_EQ(read.all_model_checkpoint_paths, state.all_model_checkpoint_paths);
}

TEST(CheckpointStateTest, AnAbsolutePathInTheFileStays) {
  const TestFolder folder;
  WriteWholeFile(folder / "checkpoint",
                 "model_checkpoint_path: \"/nonexistent/ckpt-1\"\n");
  EXPECT_EQ(ReadCheckpointState(folder.path())->model_checkpoint_path,
            "/nonexistent/ckpt-1");
}

TEST(CheckpointStateTest, RelativeFoldersWork) {
  const TestFolder folder;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  CheckpointState state;
  state.model_checkpoint_path = "ckpt-1";
  WriteCheckpointState(".", state);
  const std::string text = ReadWholeFile("checkpoint");
  const auto read = ReadCheckpointState(".");
  std::filesystem::current_path(before);
  EXPECT_EQ(text, "model_checkpoint_path: \"ckpt-1\"\n");
  EXPECT_EQ(read->model_checkpoint_path, "./ckpt-1");
}

TEST(CheckpointStateTest, WithoutAStateFileThereIsNoLatest) {
  const TestFolder folder;
  EXPECT_EQ(LatestCheckpoint(folder.path()), std::nullopt);
  EXPECT_EQ(LatestCheckpoint(folder / "nowhere"), std::nullopt);
}

TEST(CheckpointStateTest, ALatestThatIsGoneIsWarnedOf) {
  const TestFolder folder;
  WriteWholeFile(folder / "checkpoint", "model_checkpoint_path: \"ckpt-9\"\n");
  LogCapture log;
  EXPECT_EQ(LatestCheckpoint(folder.path()), std::nullopt);
  ASSERT_EQ(log.lines().size(), 1u);
  EXPECT_NE(log.lines()[0].find("ckpt-9"), std::string::npos);
}

TEST(CheckpointStateTest, ADamagedStateFileIsDataLoss) {
  const TestFolder folder;
  WriteWholeFile(folder / "checkpoint",
                 "model_checkpoint_path: \"ckpt-1\"\nall_mod");
  ExpectError([&] { LatestCheckpoint(folder.path()); }, Code::kDataLoss,
              "line 2");
}

TEST(CheckpointStateTest, TheStateFilesOwnNameIsRefused) {
  const TestFolder folder;
  CheckpointState state;
  state.model_checkpoint_path = folder / "checkpoint";
  ExpectError([&] { WriteCheckpointState(folder.path(), state); },
              Code::kInvalidArgument, "collides with the state file");
}

}  // namespace
}  // namespace lockstep
