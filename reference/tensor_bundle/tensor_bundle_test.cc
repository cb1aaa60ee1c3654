#include "reference/tensor_bundle/tensor_bundle.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <filesystem>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/base/file_testing.h"
#include "reference/tensor_bundle/bundle_files.h"
#include "reference/tensor_bundle/bundle_testing.h"
#include "reference/tensor_bundle/index_table.h"
#include "reference/tensor_bundle/slices.h"
#include "reference/tensor_bundle/tensor_codec.h"

namespace lockstep::tensor_bundle_internal {
namespace {

TEST(IndexTableTest, RewritesTensorFlowsIndexExactly) {
  for (const char* name :
       {"plain_variables/ckpt-1", "module/ckpt-1", "dense_sgd_momentum/ckpt-1",
        "distributed_variables/ckpt-1", "manager/ckpt-3"}) {
    const std::string bytes =
        ReadWholeFile(TensorFlowFile(std::string(name) + ".index"));
    EXPECT_EQ(BuildIndexTable(ParseIndexTable(bytes, name)), bytes) << name;
  }
}

TEST(IndexTableTest, Empty) {
  EXPECT_TRUE(ParseIndexTable(BuildIndexTable({}), "empty").empty());
}

TEST(IndexTableTest, ManyBlocks) {
  IndexEntries entries;
  for (int i = 0; i < 20000; ++i) {
    entries["layer/" + std::to_string(i)] = std::string(40, char('a' + i % 26));
  }
  EXPECT_EQ(ParseIndexTable(BuildIndexTable(entries), "large"), entries);
}

TEST(IndexTableTest, NotATableIsDataLoss) {
  ExpectError([] { ParseIndexTable("", "a.index"); }, Code::kDataLoss,
              "a.index");
  ExpectError([] { ParseIndexTable(std::string(1000, 'x'), "a.index"); },
              Code::kDataLoss, "a.index");
}

TEST(IndexTableTest, BlockPastTheEndIsNotAllocated) {
  const std::string intact = BuildIndexTable({{"v", "entry"}});
  // Both handles replaced: offset 0 and a size, of 2^31 and of 2^62 bytes.
  for (const std::string& size :
       {std::string("\x80\x80\x80\x80\x08"),
        std::string("\x80\x80\x80\x80\x80\x80\x80\x80\x40")}) {
    const std::string handle = std::string(1, '\0') + size;
    std::string handles = handle + handle;
    handles.resize(40);
    std::string bytes = intact;
    bytes.replace(bytes.size() - 48, 40, handles);
    ExpectError([&] { ParseIndexTable(bytes, "a.index"); }, Code::kDataLoss,
                "bytes of blocks cannot contain one of");
  }
}

RC_GTEST_PROP(IndexTableTest, RandomEntriesRoundTrip,
              (const IndexEntries& entries)) {
  RC_ASSERT(ParseIndexTable(BuildIndexTable(entries), "random") == entries);
}

// A footer (two block handles, padding, the table's magic number) may point
// outside the file; the reader must not follow it there.
RC_GTEST_PROP(IndexTableTest, RandomFooterIsDataLoss, (std::string bytes)) {
  bytes.resize(bytes.size() + 40);
  bytes += "\x57\xfb\x80\x8b\x24\x75\x47\xdb";
  try {
    ParseIndexTable(bytes, "random");
    RC_FAIL("random bytes were read as a table");
  } catch (const Error& error) {
    RC_ASSERT(error.code() == Code::kDataLoss);
  }
}

}  // namespace
}  // namespace lockstep::tensor_bundle_internal

namespace lockstep {
namespace {

using namespace tensor_bundle_internal;  // NOLINT: a test of this folder

void ExpectRoundTrip(const Tensor& tensor) {
  const TestFolder folder;
  TensorBundleWriter writer(folder / "b");
  writer.Add("key", tensor);
  writer.Finish();
  const TensorBundleReader reader(folder / "b");
  EXPECT_EQ(reader.Spec("key"), SpecOf(tensor));
  EXPECT_TRUE(BitwiseEqual(reader.Read("key"), tensor)) << Describe(tensor);
}

TEST(TensorBundleTest, EveryTypeRoundTrips) {
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  ExpectRoundTrip(Tensor::FromVector<float>({0.1f, -0.0f, nan, -infinity}));
  ExpectRoundTrip(Tensor::FromVector<double>({1e300, 5e-324}, Shape{2, 1}));
  ExpectRoundTrip(
      Tensor::FromVector<int32_t>({std::numeric_limits<int32_t>::min(), 7}));
  ExpectRoundTrip(Tensor::Scalar<int64_t>(std::numeric_limits<int64_t>::max()));
  ExpectRoundTrip(Tensor::FromVector<uint8_t>({0, 128, 255}, Shape{1, 3}));
  for (const DType narrow : {DType::kBFloat16, DType::kFloat16}) {
    ExpectRoundTrip(
        Tensor::FromVector<float>({0.1f, -0.0f, nan, -infinity}).Cast(narrow));
  }
  Tensor flags = Tensor::Zeros(Shape{2}, DType::kBool);
  flags.mutable_data<bool>()[1] = true;
  ExpectRoundTrip(flags);
  ExpectRoundTrip(Tensor::FromVector<std::string>(
      {"", std::string("a\0b", 3), std::string(300, 'x'), "\xff"}));
}

TEST(TensorBundleTest, EveryShapeRoundTrips) {
  ExpectRoundTrip(Tensor::Scalar(1.0f));
  ExpectRoundTrip(Tensor::Zeros(Shape{0}));
  ExpectRoundTrip(Tensor::Zeros(Shape{3, 0, 5}));
  ExpectRoundTrip(Tensor::Zeros(Shape{0}, DType::kString));
  ExpectRoundTrip(Tensor::Full(Shape{1, 2, 1, 2, 1, 2, 1, 2}, 3.0f));
}

// Reinterprets bytes as a tensor of floats.
Tensor NumbersOf(const std::string& bytes) {
  std::vector<float> numbers(bytes.size() / sizeof(float));
  if (!numbers.empty()) {
    std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(float));
  }
  return Tensor::FromVector(numbers);
}

RC_GTEST_PROP(TensorBundleTest, RandomTensorsRoundTrip,
              (const IndexEntries& entries)) {
  const TestFolder folder;
  TensorBundleWriter writer(folder / "b");
  std::vector<std::string> strings;
  for (const auto& [key, bytes] : entries) {
    writer.Add("n/" + key, NumbersOf(bytes));
    strings.push_back(bytes);
  }
  writer.Add("s", Tensor::FromVector(strings));
  writer.Finish();
  const TensorBundleReader reader(folder / "b");
  RC_ASSERT(reader.keys().size() == entries.size() + 1);
  for (const auto& [key, bytes] : entries) {
    RC_ASSERT(BitwiseEqual(reader.Read("n/" + key), NumbersOf(bytes)));
  }
  RC_ASSERT(reader.Read("s").ToVector<std::string>() == strings);
}

TEST(TensorBundleTest, ReadsTensorFlowsFiles) {
  const TensorBundleReader reader(TensorFlowFile("plain_variables/ckpt-1"));
  const std::string end = "/.ATTRIBUTES/VARIABLE_VALUE";
  EXPECT_EQ(reader.keys(),
            (std::vector<std::string>{"_CHECKPOINTABLE_OBJECT_GRAPH", "b" + end,
                                      "i" + end, "s" + end,
                                      "save_counter" + end, "v" + end}));
  EXPECT_EQ(reader.Read("b" + end).item<bool>(), true);
  EXPECT_EQ(reader.Read("i" + end).item<int64_t>(), 7);
  EXPECT_EQ(reader.Read("s" + end).ToVector<std::string>(),
            (std::vector<std::string>{"a", "bc"}));
  EXPECT_EQ(reader.Read("save_counter" + end).item<int64_t>(), 1);
  EXPECT_EQ(reader.Read("v" + end).ToVector<float>(),
            (std::vector<float>{1, 2, 3}));
}

TEST(TensorBundleTest, AddRefusesEmptyAndRepeatedKeys) {
  const TestFolder folder;
  TensorBundleWriter writer(folder / "b");
  writer.Add("v", Tensor::Scalar(1.0f));
  ExpectError([&] { writer.Add("v", Tensor::Scalar(2.0f)); },
              Code::kInvalidArgument, "'v' was added before");
  ExpectError([&] { writer.Add("", Tensor::Scalar(2.0f)); },
              Code::kInvalidArgument, "empty");
}

TEST(TensorBundleTest, WithoutFinishNoFileIsLeft) {
  const TestFolder folder;
  {
    TensorBundleWriter writer(folder / "b");
    writer.Add("v", Tensor::Scalar(1.0f));
  }
  EXPECT_TRUE(folder.names().empty());
}

TEST(TensorBundleTest, MissingFilesAndKeysAreNotFound) {
  const TestFolder folder;
  ExpectError([&] { TensorBundleReader(folder / "b"); }, Code::kNotFound,
              "b.index");
  TensorBundleWriter writer(folder / "b");
  writer.Add("v", Tensor::Scalar(1.0f));
  writer.Finish();
  const TensorBundleReader reader(folder / "b");
  ExpectError([&] { reader.Read("w"); }, Code::kNotFound, "no key 'w'");
  std::filesystem::remove(folder / "b.data-00000-of-00001");
  ExpectError([&] { reader.Read("v"); }, Code::kNotFound,
              "b.data-00000-of-00001");
  ExpectError([&] { TensorBundleReader(folder / "b"); }, Code::kNotFound,
              "b.data-00000-of-00001");
}

TEST(TensorBundleTest, FolderInPlaceOfAFile) {
  const TestFolder folder;
  std::filesystem::create_directory(folder / "b.index");
  ExpectError([&] { TensorBundleReader(folder / "b"); }, Code::kUnavailable,
              "b.index: wanted a regular file, got a folder");
}

tensor_bundle::TensorSliceProto SliceOf(
    const std::vector<std::pair<int64_t, int64_t>>& extents) {
  tensor_bundle::TensorSliceProto slice;
  for (const auto& [start, length] : extents) {
    auto& extent = *slice.add_extent();
    extent.set_start(start);
    if (length >= 0) extent.set_length(length);
  }
  return slice;
}

// The bytes are those of TensorFlow 2.21's index of sharded_variables, and of
// the rules of its ordered codes for other numbers.
TEST(SlicesTest, HaveTensorFlowsKeys) {
  using namespace std::string_literals;
  const auto key = [](const auto& extents) {
    return tensor_bundle_internal::SliceKey("w/x", SliceOf(extents));
  };
  using Extents = std::vector<std::pair<int64_t, int64_t>>;
  EXPECT_EQ(key(Extents{{5, 5}, {0, 3}}), "\0w/x\0\1\1\2\x85\x85\x80\x83"s);
  EXPECT_EQ(key(Extents{{200, 100}}), "\0w/x\0\1\1\1\xc0\xc8\xc0\x64"s);
  EXPECT_EQ(key(Extents{{0, -1}}), "\0w/x\0\1\1\1\x80\x7f"s);
  EXPECT_EQ(key(Extents{{63, 64}}), "\0w/x\0\1\1\1\xbf\xc0\x40"s);
  EXPECT_EQ(key(Extents{{8191, 8192}}), "\0w/x\0\1\1\1\xdf\xff\xe0\x20\0"s);
  EXPECT_EQ(tensor_bundle_internal::SliceKey("\0\xff"s, SliceOf({})),
            "\0\0\xff\xff\0\0\1\0"s);
}

TEST(SlicesTest, AreReadAsOneTensor) {
  const TensorBundleReader reader(TensorFlowFile("sharded_variables/ckpt-1"));
  const std::string value = "/.ATTRIBUTES/VARIABLE_VALUE";
  EXPECT_EQ(reader.keys(),
            (std::vector<std::string>{"_CHECKPOINTABLE_OBJECT_GRAPH",
                                      "v" + value, "w" + value, "x" + value}));
  EXPECT_EQ(ToString(reader.Spec("w" + value)), "float32 (10, 3)");
  std::vector<float> w(30);
  std::iota(w.begin(), w.end(), 0.0f);
  EXPECT_EQ(reader.Read("w" + value).ToVector<float>(), w);
  std::vector<int64_t> v(300);
  std::iota(v.begin(), v.end(), 0);
  EXPECT_EQ(reader.Read("v" + value).ToVector<int64_t>(), v);
}

TEST(SlicesTest, MustHaveAllRows) {
  const auto find =
      [](const std::vector<std::vector<std::pair<int64_t, int64_t>>>& slices) {
        tensor_bundle::BundleEntryProto entry;
        for (const auto& extents : slices)
          *entry.add_slices() = SliceOf(extents);
        return tensor_bundle_internal::FindRows("w", Shape{4, 3}, entry);
      };
  EXPECT_EQ(find({{{2, 2}, {0, 3}}, {{0, 2}, {0, -1}}})->at(1).begin, 2);
  EXPECT_TRUE(find({{{0, -1}, {0, -1}}}));
  EXPECT_FALSE(find({{{0, 2}, {0, 3}}}));
  EXPECT_FALSE(find({{{0, 2}, {0, 3}}, {{3, 1}, {0, 3}}}));
  EXPECT_FALSE(find({{{0, 3}, {0, 3}}, {{2, 2}, {0, 3}}}));
  EXPECT_FALSE(find({{{0, 4}, {0, 2}}, {{0, 4}, {2, 1}}}));
  EXPECT_FALSE(find({{{0, 5}, {0, 3}}}));
  EXPECT_FALSE(find({{{-1, 5}, {0, 3}}}));
  EXPECT_FALSE(find({{{0, 4}}}));
}

TEST(TensorBundleTest, FifoInPlaceOfAFileDoesNotBlock) {
  const TestFolder folder;
  TensorBundleWriter writer(folder / "b");
  writer.Add("v", Tensor::Scalar(1.0f));
  writer.Finish();
  const TensorBundleReader reader(folder / "b");
  const std::string data = folder / "b.data-00000-of-00001";
  std::filesystem::remove(data);
  ASSERT_EQ(mkfifo(data.c_str(), 0600), 0);
  const std::string words = "wanted a regular file, got a FIFO";
  ExpectError([&] { reader.Read("v"); }, Code::kUnavailable, words);
  ExpectError([&] { TensorBundleReader(folder / "b"); }, Code::kUnavailable,
              words);
  const std::string index = folder / "c.index";
  ASSERT_EQ(mkfifo(index.c_str(), 0600), 0);
  ExpectError([&] { TensorBundleReader(folder / "c"); }, Code::kUnavailable,
              words);
}

TEST(TensorBundleTest, NameTooLong) {
  const TestFolder folder;
  ExpectError(
      [&] {
        tensor_bundle_internal::BundleExists(folder / std::string(300, 'x'));
      },
      Code::kUnavailable, "cannot look for");
}

}  // namespace
}  // namespace lockstep
