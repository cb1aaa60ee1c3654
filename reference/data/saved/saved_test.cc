#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "reference/base/file_testing.h"
#include "reference/data/dataset_testing.h"
#include "reference/data/sharding/auto_shard.h"

namespace lockstep {
namespace {

using Numbers = std::vector<int64_t>;
using Texts = std::vector<std::string>;

TEST(SaveTest, LoadGivesTheElementsInOrder) {
  const TestFolder folder;
  for (const int64_t shards : {1, 3, 9}) {
    Dataset::Range(7).Save(folder / "numbers", {.shards = shards});
    const Dataset loaded = Dataset::Load(folder / "numbers");
    EXPECT_EQ(ReadNumbers(loaded), (Numbers{0, 1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(ReadNumbers(loaded), (Numbers{0, 1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(loaded.cardinality(), 7);
    EXPECT_EQ(ToString(loaded.element_spec().leaf()), "int64 ()");
  }
  EXPECT_EQ(folder.names(), Texts{"numbers"});
}

TEST(SaveTest, KeepsNestsAndTypes) {
  const TestFolder folder;
  const Structure first = Structure::Tuple(
      {Tensor::FromVector<std::string>({"a", ""}),
       Structure::Dict({{"x", Tensor::FromVector<float>({1, 2}, Shape{1, 2})},
                        {"y", Structure::Tuple({})}}),
       Tensor::Scalar<bool>(true), Tensor::Zeros(Shape{0, 2}, DType::kInt32)});
  const Dataset one = Dataset::FromTensors(first);
  one.Save(folder / "one");
  const Dataset loaded = Dataset::Load(folder / "one");
  EXPECT_EQ(ReadAll(loaded), ReadAll(one));
  EXPECT_EQ(ToString(loaded.element_spec()), ToString(one.element_spec()));
  const std::vector<Tensor> leaves = loaded.MakeIterator().GetNext().Flatten();
  for (size_t i = 0; i < leaves.size(); ++i) {
    EXPECT_TRUE(BitwiseEqual(leaves[i], first.Flatten()[i]));
  }
}

TEST(SaveTest, AnEmptyDatasetHasItsSpec) {
  const TestFolder folder;
  Dataset::Range(0).Batch(2).Save(folder / "none");
  const Dataset loaded = Dataset::Load(folder / "none");
  EXPECT_EQ(ReadNumbers(loaded), Numbers{});
  EXPECT_EQ(loaded.cardinality(), 0);
  EXPECT_EQ(ToString(loaded.element_spec().leaf()), "int64 (None,)");
}

TEST(SaveTest, WorkersReadTheirOwnShards) {
  const TestFolder folder;
  Dataset::Range(8).Save(folder / "numbers", {.shards = 4});
  const Dataset batches = Dataset::Load(folder / "numbers").Batch(2);
  const auto read = [&](int64_t worker) {
    return ReadNumbers(AutoShard(
        batches.WithOptions({.auto_shard_policy = AutoShardPolicy::kFile}),
        {.workers = 2, .worker = worker, .replicas = 2}));
  };
  EXPECT_EQ(read(0), (Numbers{0, 2, 4, 6}));
  EXPECT_EQ(read(1), (Numbers{1, 3, 5, 7}));
}

TEST(SaveTest, ReplacesASavedDatasetOnly) {
  const TestFolder folder;
  Dataset::Range(5).Save(folder / "numbers", {.shards = 4});
  Dataset::Range(3).Save(folder / "numbers");
  EXPECT_EQ(ReadNumbers(Dataset::Load(folder / "numbers")), (Numbers{0, 1, 2}));
  std::filesystem::create_directory(folder / "mine");
  WriteWholeFile(folder / "mine/notes", "x");
  ExpectError([&] { Dataset::Range(3).Save(folder / "mine"); },
              Code::kFailedPrecondition, "[Save] ");
  EXPECT_EQ(ReadWholeFile(folder / "mine/notes"), "x");
}

TEST(SaveTest, APassThatFailsLeavesWhatIsThere) {
  const TestFolder folder;
  Dataset::Range(3).Save(folder / "numbers");
  const Dataset damaged = Dataset::Range(5).Map([](const Structure& x) {
    if (x.leaf().item<int64_t>() == 4) throw DataLoss("[Read] damaged");
    return x;
  });
  ExpectError([&] { damaged.Save(folder / "numbers"); }, Code::kDataLoss,
              "damaged");
  EXPECT_EQ(folder.names(), Texts{"numbers"});
  EXPECT_EQ(ReadNumbers(Dataset::Load(folder / "numbers")), (Numbers{0, 1, 2}));
}

TEST(SaveTest, RefusesWhatItCannotSave) {
  const TestFolder folder;
  ExpectError([&] { Dataset::Range(3).Save(folder / "x", {.shards = 0}); },
              Code::kInvalidArgument,
              "[Save] the number of shards must be positive, got 0");
  ExpectError([&] { Dataset::Range(3).Repeat().Save(folder / "x"); },
              Code::kInvalidArgument, "[Save] the dataset has no end");
  EXPECT_EQ(folder.names(), Texts{});
}

TEST(LoadTest, AnotherFolderIsNotFound) {
  const TestFolder folder;
  ExpectError([&] { Dataset::Load(folder / "none"); }, Code::kNotFound,
              "holds no saved dataset");
  WriteWholeFile(folder / "x", "x");
  ExpectError([&] { Dataset::Load(folder.path()); }, Code::kNotFound,
              "holds no saved dataset");
}

std::string Saved(const TestFolder& folder, const std::string& name) {
  Dataset::Range(4).Save(folder / name, {.shards = 2});
  return folder / name;
}

TEST(LoadTest, ATornOrMissingShardIsDataLoss) {
  const TestFolder folder;
  const std::string shard = Saved(folder, "numbers") + "/shard-00001-of-00002";
  const std::string bytes = ReadWholeFile(shard);
  const auto read = [&] { ReadNumbers(Dataset::Load(folder / "numbers")); };
  // Cut between two records, which the records themselves do not show.
  WriteWholeFile(shard, bytes.substr(0, bytes.size() / 2));
  ExpectError(read, Code::kDataLoss, "bytes, wanted");
  std::string damaged = bytes;
  damaged[20] ^= 1;
  WriteWholeFile(shard, damaged);
  ExpectError(read, Code::kDataLoss, "is damaged");
  std::filesystem::remove(shard);
  ExpectError(read, Code::kDataLoss, "shard-00001-of-00002 is missing");
}

TEST(LoadTest, AShardOfAnotherDatasetIsDataLoss) {
  const TestFolder folder;
  const std::string a = Saved(folder, "a");
  const std::string b = Saved(folder, "b");
  const auto copy = [](const std::string& from, const std::string& to) {
    WriteWholeFile(to, ReadWholeFile(from));
  };
  const auto read = [&] { ReadNumbers(Dataset::Load(a)); };
  copy(b + "/shard-00000-of-00002", a + "/shard-00000-of-00002");
  ExpectError(read, Code::kDataLoss,
              "holds a record that is not of this dataset");
  copy(a + "/shard-00001-of-00002", a + "/shard-00000-of-00002");
  ExpectError(read, Code::kDataLoss, "bytes, wanted");
}

TEST(LoadTest, ADamagedSpecIsDataLoss) {
  const TestFolder folder;
  const std::string file = Saved(folder, "numbers") + "/dataset.spec";
  const std::string bytes = ReadWholeFile(file);
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] ^= 0x10;
    WriteWholeFile(file, damaged);
    ExpectError([&] { Dataset::Load(folder / "numbers"); }, Code::kDataLoss,
                "");
    WriteWholeFile(file, bytes.substr(0, i));
    ExpectError([&] { Dataset::Load(folder / "numbers"); }, Code::kDataLoss,
                "");
  }
}

}  // namespace
}  // namespace lockstep
