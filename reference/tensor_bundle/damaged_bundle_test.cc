// Damages a checkpoint in every bit and at every length. The reader reports it,
// or returns the same values.

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "reference/base/encoding/crc32c.h"
#include "reference/base/error.h"
#include "reference/base/error_testing.h"
#include "reference/base/file_testing.h"
#include "reference/base/fuzzing/damage.h"
#include "reference/base/fuzzing/rounds.h"
#include "reference/tensor_bundle/bundle_testing.h"
#include "reference/tensor_bundle/index_table.h"
#include "reference/tensor_bundle/tensor_bundle.h"
#include "reference/tensor_bundle/tensor_bundle.pb.h"
#include "reference/tensor_bundle/tensor_codec.h"

namespace lockstep {
namespace {

constexpr char kIndex[] = "b.index";
constexpr char kData[] = "b.data-00000-of-00001";

using Content = std::map<std::string, Tensor>;

// Everything in the bundle; nullopt if the reader reports damage.
std::optional<Content> ReadAll(const std::string& prefix) {
  try {
    const TensorBundleReader reader(prefix);
    Content content;
    for (const std::string& key : reader.keys()) {
      content[key] = reader.Read(key);
    }
    return content;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kDataLoss) << error.what();
    EXPECT_NE(std::string(error.what()).find(prefix), std::string::npos)
        << "names no file: " << error.what();
    return std::nullopt;
  }
}

bool Same(const Content& a, const Content& b) {
  if (a.size() != b.size()) return false;
  for (const auto& [key, tensor] : a) {
    if (!b.contains(key) || !BitwiseEqual(tensor, b.at(key))) return false;
  }
  return true;
}

// Has a checkpoint of every kind of tensor, written by TensorFlow.
class DamagedBundleTest : public testing::Test {
 protected:
  DamagedBundleTest()
      : index_(ReadWholeFile(TensorFlowFile("plain_variables/ckpt-1.index"))),
        data_(ReadWholeFile(
            TensorFlowFile("plain_variables/ckpt-1.data-00000-of-00001"))) {
    WriteWholeFile(folder_ / kIndex, index_);
    WriteWholeFile(folder_ / kData, data_);
    intact_ = *ReadAll(folder_ / "b");
  }

  // Flips each bit in turn. Returns the bytes where the reader reports nothing.
  std::vector<size_t> FlipEachBit(const char* file, const std::string& bytes) {
    std::vector<size_t> harmless;
    for (size_t i = 0; i < bytes.size(); ++i) {
      for (int bit = 0; bit < 8; ++bit) {
        std::string damaged = bytes;
        damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
        WriteWholeFile(folder_ / file, damaged);
        const std::optional<Content> content = ReadAll(folder_ / "b");
        if (!content) continue;
        EXPECT_TRUE(Same(*content, intact_)) << file << " byte " << i;
        if (harmless.empty() || harmless.back() != i) harmless.push_back(i);
      }
    }
    WriteWholeFile(folder_ / file, bytes);
    return harmless;
  }

  void ExpectTruncationsReported(const char* file, const std::string& bytes) {
    for (size_t size = 0; size < bytes.size(); ++size) {
      WriteWholeFile(folder_ / file, bytes.substr(0, size));
      EXPECT_FALSE(ReadAll(folder_ / "b")) << file << " of " << size;
    }
    WriteWholeFile(folder_ / file, bytes);
  }

  TestFolder folder_;
  std::string index_;
  std::string data_;
  Content intact_;
};

TEST_F(DamagedBundleTest, FlippedBitsOfTheData) {
  EXPECT_TRUE(FlipEachBit(kData, data_).empty());
}

// Only unused parts of the table may change: the metaindex block, which lists
// filters, its handle in the footer, and the footer's padding.
TEST_F(DamagedBundleTest, FlippedBitsOfTheIndex) {
  constexpr size_t kFooter = 48, kMagic = 8, kTrailer = 5;
  const size_t footer = index_.size() - kFooter;
  const size_t metaindex = 303, metaindex_size = 8;  // from the footer
  for (const size_t byte : FlipEachBit(kIndex, index_)) {
    const bool in_metaindex =
        byte >= metaindex && byte < metaindex + metaindex_size + kTrailer;
    const bool in_footer = byte >= footer && byte < index_.size() - kMagic;
    EXPECT_TRUE(in_metaindex || in_footer) << byte;
  }
}

TEST_F(DamagedBundleTest, TruncatedFiles) {
  ExpectTruncationsReported(kIndex, index_);
  ExpectTruncationsReported(kData, data_);
}

TEST_F(DamagedBundleTest, RandomDamage) {
  for (const auto& [file, bytes] :
       {std::pair(kIndex, index_), {kData, data_}}) {
    ForDamagedCopies(
        bytes, 100 * TestRounds(), [&](const std::string& damaged) {
          WriteWholeFile(folder_ / file, damaged);
          const std::optional<Content> content = ReadAll(folder_ / "b");
          EXPECT_TRUE(!content || Same(*content, intact_)) << file;
        });
    WriteWholeFile(folder_ / file, bytes);
  }
}

TEST_F(DamagedBundleTest, FilesOfTwoCheckpointsDoNotMix) {
  WriteWholeFile(folder_ / kData,
                 ReadWholeFile(TensorFlowFile(
                     "dense_sgd_momentum/ckpt-1.data-00000-of-00001")));
  EXPECT_FALSE(ReadAll(folder_ / "b"));
}

}  // namespace

// Bundles with valid checksums and an index that contradicts the data.

namespace {

using namespace tensor_bundle_internal;  // NOLINT: a test of this folder
using tensor_bundle::BundleEntryProto;
using tensor_bundle::BundleHeaderProto;

// Data of 8 bytes, and an entry "v" of two floats that tests make inconsistent.
class InconsistentBundleTest : public testing::Test {
 protected:
  InconsistentBundleTest() {
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

TEST_F(InconsistentBundleTest, ConsistentOneIsRead) {
  EXPECT_EQ(Read().ToVector<float>(), (std::vector<float>{1, 2}));
}

TEST_F(InconsistentBundleTest, DataFileOutOfRange) {
  entry_.set_shard_id(1);
  ExpectRefused(Code::kDataLoss, "'v' is in data file 1 of 1");
  entry_.set_shard_id(-1);
  ExpectRefused(Code::kDataLoss, "data file -1 of 1");
}

TEST_F(InconsistentBundleTest, EntryPastTheEnd) {
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

TEST_F(InconsistentBundleTest, ShapeOfAnotherSize) {
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

TEST_F(InconsistentBundleTest, AnotherTypeOfTheSameSize) {
  entry_.set_dtype(tensor_bundle::DT_BOOL);
  entry_.mutable_shape()->mutable_dim(0)->set_size(8);
  ExpectRefused(Code::kDataLoss, "a bool is 128, wanted 0 or 1");
}

TEST_F(InconsistentBundleTest, WrongChecksum) {
  entry_.set_crc32c(entry_.crc32c() + 1);
  ExpectRefused(Code::kDataLoss, "b.data-00000-of-00001: 'v': masked checksum");
}

TEST_F(InconsistentBundleTest, UnknownTypeFailsOnlyWhenRead) {
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

TEST_F(InconsistentBundleTest, TensorInSlices) {
  entry_.add_slices();
  ExpectRefused(Code::kUnimplemented, "1 slices");
}

TEST_F(InconsistentBundleTest, Header) {
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
  ExpectRefused(Code::kUnimplemented,
                "requires a reader of version 2, this one has version 1");
}

TEST_F(InconsistentBundleTest, MissingHeaderOrInvalidMessage) {
  Write();
  const auto expect = [&](const IndexEntries& entries, const char* words) {
    WriteWholeFile(folder_ / "b.index", BuildIndexTable(entries));
    ExpectError([&] { TensorBundleReader(folder_ / "b"); }, Code::kDataLoss,
                words);
  };
  expect({{"v", entry_.SerializeAsString()}}, "no header");
  expect({{"", "\xff\xff"}}, "the header is not a valid message");
  expect({{"", header_.SerializeAsString()}, {"v", "\xff\xff"}},
         "'v' is not a valid entry");
}

TEST_F(InconsistentBundleTest, StringsOfAnotherLength) {
  entry_.set_dtype(tensor_bundle::DT_STRING);
  ExpectRefused(Code::kDataLoss, "'v'");  // lengths 0 and 0 need 6 bytes
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
