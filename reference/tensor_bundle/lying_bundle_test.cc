// Bundles whose checksums hold but whose index says what cannot be.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "reference/base/error_testing.h"
#include "reference/base/file_testing.h"
#include "reference/tensor_bundle/crc32c.h"
#include "reference/tensor_bundle/index_table.h"
#include "reference/tensor_bundle/tensor_bundle.pb.h"
#include "reference/tensor_bundle/tensor_bundle_reader.h"

namespace lockstep {
namespace {

using namespace tensor_bundle_internal;  // NOLINT: a test of this folder
using tensor_bundle::BundleEntryProto;
using tensor_bundle::BundleHeaderProto;

// Data of 8 bytes and one entry "v" of two floats in it, but for the lie.
class LyingBundleTest : public testing::Test {
 protected:
  LyingBundleTest() {
    header_.set_num_shards(1);
    header_.mutable_version()->set_producer(1);
    entry_.set_dtype(tensor_bundle::DT_FLOAT);
    entry_.mutable_shape()->add_dim()->set_size(2);
    entry_.set_size(8);
    entry_.set_crc32c(MaskCrc32c(Crc32c(data_)));
  }

  void Write() {
    WriteWholeFile(folder_ / "b.index",
                   BuildIndexTable({{"", header_.SerializeAsString()},
                                    {"v", entry_.SerializeAsString()}}));
    WriteWholeFile(folder_ / "b.data-00000-of-00001", data_);
  }

  Tensor Read() {
    Write();
    return TensorBundleReader(folder_ / "b").Read("v");
  }

  void ExpectRefused(Code code, const std::string& words) {
    ExpectError([this] { Read(); }, code, words);
  }

  TestFolder folder_;
  std::string data_ = std::string("\0\0\x80\x3f\0\0\0\x40", 8);
  BundleHeaderProto header_;
  BundleEntryProto entry_;
};

TEST_F(LyingBundleTest, TheTruthIsRead) {
  EXPECT_EQ(Read().ToVector<float>(), (std::vector<float>{1, 2}));
}

TEST_F(LyingBundleTest, DataFilesOutsideTheirNumber) {
  entry_.set_shard_id(1);
  ExpectRefused(Code::kDataLoss, "'v' is in data file 1 of 1");
  entry_.set_shard_id(-1);
  ExpectRefused(Code::kDataLoss, "data file -1 of 1");
}

TEST_F(LyingBundleTest, PlacesPastTheEnd) {
  entry_.set_offset(1);
  ExpectRefused(Code::kDataLoss, "8 bytes from 1 on, the data file 8");
  entry_.set_offset(-1);
  ExpectRefused(Code::kDataLoss, "from -1 on");
  entry_.set_offset(std::numeric_limits<int64_t>::max());
  ExpectRefused(Code::kDataLoss, "from 9223372036854775807 on");
  entry_.set_offset(0);
  entry_.set_size(-8);
  ExpectRefused(Code::kDataLoss, "-8 bytes");
  entry_.set_size(std::numeric_limits<int64_t>::max());
  ExpectRefused(Code::kDataLoss, "9223372036854775807 bytes");
}

TEST_F(LyingBundleTest, ShapesThatDoNotFitTheSize) {
  auto& dim = *entry_.mutable_shape()->mutable_dim(0);
  dim.set_size(3);
  ExpectRefused(Code::kDataLoss, "8 bytes for float32 (3)");
  dim.set_size(0);
  ExpectRefused(Code::kDataLoss, "8 bytes for float32 (0)");
  dim.set_size(-2);
  ExpectRefused(Code::kDataLoss, "the shape (-2)");
  dim.set_size(int64_t{1} << 62);
  ExpectRefused(Code::kDataLoss, "8 bytes for float32");
  entry_.mutable_shape()->add_dim()->set_size(4);
  ExpectRefused(Code::kDataLoss, "the shape (4611686018427387904, 4)");
}

TEST_F(LyingBundleTest, AnotherTypeOfTheSameSize) {
  entry_.set_dtype(tensor_bundle::DT_BOOL);
  entry_.mutable_shape()->mutable_dim(0)->set_size(8);
  ExpectRefused(Code::kDataLoss, "a bool is 128, wanted 0 or 1");
}

TEST_F(LyingBundleTest, AWrongChecksum) {
  entry_.set_crc32c(entry_.crc32c() + 1);
  ExpectRefused(Code::kDataLoss, "b.data-00000-of-00001: 'v': masked checksum");
}

TEST_F(LyingBundleTest, UnknownTypesAndRanksAreRefusedOnlyWhenAskedFor) {
  entry_.set_dtype(static_cast<tensor_bundle::DataType>(8));  // complex64
  Write();
  EXPECT_TRUE(TensorBundleReader(folder_ / "b").Contains("v"));
  ExpectRefused(Code::kUnimplemented, "type 8");
  entry_.set_dtype(tensor_bundle::DT_FLOAT);
  for (int i = 0; i < Shape::kMaxRank; ++i) {
    entry_.mutable_shape()->add_dim()->set_size(1);
  }
  ExpectRefused(Code::kUnimplemented, "shape (2, 1, 1");
}

TEST_F(LyingBundleTest, TensorsInSlicesAreNotOffered) {
  entry_.add_slices();
  ExpectRefused(Code::kUnimplemented, "1 slices");
}

TEST_F(LyingBundleTest, Headers) {
  header_.set_num_shards(0);
  ExpectRefused(Code::kDataLoss, "0 data files");
  header_.set_num_shards(-3);
  ExpectRefused(Code::kDataLoss, "-3 data files");
  header_.set_num_shards(std::numeric_limits<int32_t>::max());
  ExpectRefused(Code::kDataLoss, "2147483647 data files");
  header_.set_num_shards(2);
  ExpectRefused(Code::kNotFound, "b.data-00000-of-00002");
  header_.set_num_shards(1);
  header_.set_endianness(BundleHeaderProto::BIG);
  ExpectRefused(Code::kUnimplemented, "endianness 1, wanted 0");
  header_.clear_endianness();
  header_.mutable_version()->set_min_consumer(2);
  ExpectRefused(Code::kUnimplemented, "is for version 2, got 1");
}

TEST_F(LyingBundleTest, IndicesWithoutHeaderOrWithGarbage) {
  Write();
  const auto expect = [&](const IndexEntries& entries, const char* words) {
    WriteWholeFile(folder_ / "b.index", BuildIndexTable(entries));
    ExpectError([&] { TensorBundleReader(folder_ / "b"); }, Code::kDataLoss,
                words);
  };
  expect({{"v", entry_.SerializeAsString()}}, "no header");
  expect({{"", "\xff\xff"}}, "the header is no message");
  expect({{"", header_.SerializeAsString()}, {"v", "\xff\xff"}},
         "'v' is no entry");
}

TEST_F(LyingBundleTest, StringsThatDoNotAddUp) {
  entry_.set_dtype(tensor_bundle::DT_STRING);
  ExpectRefused(Code::kDataLoss, "'v'");  // lengths 0, 0: 6 bytes wanted
  entry_.mutable_shape()->mutable_dim(0)->set_size(9);
  ExpectRefused(Code::kDataLoss, "8 bytes for string (9)");
  data_ = std::string("\x01\x01\0\0\0\0ab", 8);
  entry_.mutable_shape()->mutable_dim(0)->set_size(2);
  ExpectRefused(Code::kDataLoss, "checksum of the lengths");
  const uint32_t lengths = Crc32c(std::string("\1\0\0\0\1\0\0\0", 8));
  const uint32_t masked = MaskCrc32c(lengths);
  data_.replace(2, 4, reinterpret_cast<const char*>(&masked), 4);
  ExpectRefused(Code::kDataLoss, "checksum of the strings");
  entry_.set_crc32c(
      MaskCrc32c(ExtendCrc32c(lengths, std::string_view(data_).substr(2))));
  EXPECT_EQ(Read().ToVector<std::string>(),
            (std::vector<std::string>{"a", "b"}));
}

}  // namespace
}  // namespace lockstep
