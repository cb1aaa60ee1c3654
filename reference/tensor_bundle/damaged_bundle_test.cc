// Every single flipped bit and every truncation of a checkpoint is noticed, or
// changes nothing that is read.
#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "reference/base/error.h"
#include "reference/base/file_testing.h"
#include "reference/tensor_bundle/bundle_testing.h"
#include "reference/tensor_bundle/tensor_bundle_reader.h"

namespace lockstep {
namespace {

constexpr char kIndex[] = "b.index";
constexpr char kData[] = "b.data-00000-of-00001";

using Content = std::map<std::string, Tensor>;

// Everything in the bundle; nullopt when the damage was noticed.
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

// A checkpoint of every kind of tensor, written by TensorFlow.
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

  // Flips every bit in turn; gives the bytes where that was not noticed.
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

  void ExpectEveryTruncationIsNoticed(const char* file,
                                      const std::string& bytes) {
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

TEST_F(DamagedBundleTest, EveryFlippedBitOfTheDataIsNoticed) {
  EXPECT_TRUE(FlipEachBit(kData, data_).empty());
}

// Unused parts of the table alone may change: the metaindex block, which lists
// filters, its place in the footer, and the footer's padding.
TEST_F(DamagedBundleTest, EveryFlippedBitOfTheIndexIsNoticedWhereItIsUsed) {
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

TEST_F(DamagedBundleTest, EveryTruncationIsNoticed) {
  ExpectEveryTruncationIsNoticed(kIndex, index_);
  ExpectEveryTruncationIsNoticed(kData, data_);
}

TEST_F(DamagedBundleTest, FilesOfTwoCheckpointsDoNotMix) {
  WriteWholeFile(folder_ / kData,
                 ReadWholeFile(TensorFlowFile(
                     "dense_sgd_momentum/ckpt-1.data-00000-of-00001")));
  EXPECT_FALSE(ReadAll(folder_ / "b"));
}

}  // namespace
}  // namespace lockstep
