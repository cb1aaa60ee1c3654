#include <gtest/gtest.h>

#include <cstdlib>

#include "datasets/idx.h"
#include "datasets/idx_testing.h"
#include "datasets/manifest.h"
#include "datasets/sha256.h"
#include "reference/data/dataset_testing.h"
#include "reference/device/fake_gpu.h"

namespace lockstep {
namespace {

// Expected values: FIPS 180-2, appendix B, and its empty message.
TEST(Sha256Test, StandardExamples) {
  Sha256 abc;
  abc.Update("abc");
  EXPECT_EQ(abc.HexDigest(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  Sha256 million;
  for (int i = 0; i < 1000; ++i) million.Update(std::string(1000, 'a'));
  EXPECT_EQ(million.HexDigest(),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  EXPECT_EQ(Sha256().HexDigest(),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

const std::string kSmall = MakeIdx(0x08, {2, 3}, "\x01\x02\x03\x04\x05\xff");

TEST(IdxTest, ReadsPlainAndCompressed) {
  for (const std::string& bytes : {kSmall, Gzip(kSmall)}) {
    const Tensor tensor = ParseIdx(bytes, "small");
    EXPECT_EQ(Describe(tensor), "uint8 (2, 3)");
    EXPECT_EQ(tensor.ToVector<uint8_t>(),
              (std::vector<uint8_t>{1, 2, 3, 4, 5, 255}));
  }
}

TEST(IdxTest, ReadsToTheHostWhateverTheCurrentDevice) {
  FakeGpu gpu;
  const DeviceScope on_gpu(gpu.device());
  EXPECT_EQ(ParseIdx(kSmall, "small").ToVector<uint8_t>(),
            (std::vector<uint8_t>{1, 2, 3, 4, 5, 255}));
}

TEST(IdxTest, ReadsEveryTypeBigEndian) {
  using std::string_view_literals::operator""sv;
  EXPECT_EQ(ParseIdx(MakeIdx(0x0C, {2}, "\x01\x02\x03\x04\xff\xff\xff\xfe"sv),
                     "int32")
                .ToVector<int32_t>(),
            (std::vector<int32_t>{0x01020304, -2}));
  EXPECT_EQ(
      ParseIdx(MakeIdx(0x0D, {1}, "\x3f\x80\x00\x00"sv), "float").item<float>(),
      1.0f);
  EXPECT_EQ(ParseIdx(MakeIdx(0x0E, {1}, "\x40\x00\x00\x00\x00\x00\x00\x00"sv),
                     "double")
                .item<double>(),
            2.0);
}

TEST(IdxTest, ReadsEmptyArraysAndSeveralMembers) {
  EXPECT_EQ(Describe(ParseIdx(MakeIdx(0x08, {0, 28}, ""), "empty")),
            "uint8 (0, 28)");
  const std::string two = Gzip(kSmall.substr(0, 5)) + Gzip(kSmall.substr(5));
  EXPECT_EQ(Describe(ParseIdx(two, "members")), "uint8 (2, 3)");
}

TEST(IdxTest, HashesTheContentPlainOrCompressed) {
  Sha256 plain, compressed, expected;
  ParseIdx(kSmall, "small", &plain);
  ParseIdx(Gzip(kSmall), "small", &compressed);
  expected.Update(kSmall);
  const std::string digest = expected.HexDigest();
  EXPECT_EQ(plain.HexDigest(), digest);
  EXPECT_EQ(compressed.HexDigest(), digest);
}

void ExpectDataLoss(const std::string& bytes, const std::string& part) {
  ExpectError([&] { ParseIdx(bytes, "small"); }, Code::kDataLoss, part);
}

TEST(IdxTest, WrongHeadersAreDataLossWithAnOffset) {
  ExpectDataLoss("PK\3\4 zip, not IDX",
                 "[ReadIdx] small: at offset 0: the magic number begins with "
                 "50 4b, wanted 00 00");
  ExpectDataLoss(MakeIdx(0x07, {1}, "x"),
                 "at offset 2: there is no element type 0x07");
  ExpectDataLoss(MakeIdx(0x08, {}, "x"),
                 "at offset 3: 0 dimensions, wanted 1 to 8");
  ExpectDataLoss(MakeIdx(0x08, std::vector<uint32_t>(9, 1), "x"),
                 "at offset 3: 9 dimensions");
  ExpectDataLoss("", "truncated at offset 0: the magic number want 4");
}

TEST(IdxTest, TypesNoTensorHoldsAreUnimplemented) {
  ExpectError([] { ParseIdx(MakeIdx(0x09, {1}, "x"), "t"); },
              Code::kUnimplemented, "int8");
  ExpectError([] { ParseIdx(MakeIdx(0x0B, {1}, "xx"), "t"); },
              Code::kUnimplemented, "int16");
}

TEST(IdxTest, ALyingHeaderIsFoundOutBeforeAllocating) {
  const std::vector<uint32_t> huge = {0xffffffff, 0xffffffff};
  const std::vector<uint32_t> overflowing(8, 0xffffffff);
  for (const auto& dims : {huge, overflowing, {1u << 30, 2u}}) {
    const std::string lie = MakeIdx(0x08, dims, "abc");
    ExpectDataLoss(lie, "the header claims dimensions");
    ExpectDataLoss(Gzip(lie), "the header claims dimensions");
  }
  ExpectDataLoss(MakeIdx(0x08, {4}, "abc"),
                 "claims dimensions (4,), but at most 3 bytes can follow at "
                 "offset 8");
}

TEST(IdxTest, ADimensionOfZeroHidesNoOverflow) {
  EXPECT_EQ(ParseIdx(MakeIdx(0x08, {0, 5}, ""), "t").num_elements(), 0);
  ExpectDataLoss(MakeIdx(0x08, {0, 5}, "x"), "bytes behind the end");
  ExpectDataLoss(MakeIdx(0x08, {0xffffffff, 0xffffffff, 0}, ""),
                 "the header claims dimensions");
}

TEST(IdxTest, BytesBehindTheEndAreDataLoss) {
  ExpectDataLoss(kSmall + "x", "there are bytes behind the end at offset 18");
  ExpectDataLoss(Gzip(kSmall + "x"), "behind the end at offset 18");
  ExpectDataLoss(Gzip(kSmall) + "junk", "the archive is damaged");
}

TEST(IdxTest, EveryTruncationIsDataLoss) {
  for (const std::string& bytes : {kSmall, Gzip(kSmall)}) {
    for (size_t size = 0; size < bytes.size(); ++size) {
      ExpectDataLoss(bytes.substr(0, size), "");
    }
  }
}

// A flipped bit of a plain file shows in the elements, or is found out; in an
// archive it is found out, or was one of those that mean nothing.
TEST(IdxTest, EveryFlippedBitIsFoundOutOrShowsInTheElements) {
  const Tensor right = ParseIdx(kSmall, "small");
  for (const std::string& whole : {kSmall, Gzip(kSmall)}) {
    for (size_t bit = 0; bit < 8 * whole.size(); ++bit) {
      std::string bytes = whole;
      bytes[bit / 8] ^= static_cast<char>(1 << bit % 8);
      try {
        const Tensor tensor = ParseIdx(bytes, "flipped");
        EXPECT_EQ(tensor.shape(), right.shape()) << bit;
        EXPECT_NE(BitwiseEqual(tensor, right), whole == kSmall) << bit;
      } catch (const Error& e) {
        EXPECT_TRUE(e.code() == Code::kDataLoss ||
                    e.code() == Code::kUnimplemented)
            << e.what();
      }
    }
  }
}

TEST(IdxTest, FilesMustExist) {
  ExpectError([] { ReadIdxFile("nowhere/x.gz"); }, Code::kNotFound,
              "nowhere/x.gz");
  ExpectError([] { ReadIdxFile("."); }, Code::kUnavailable, ".");
}

TEST(ManifestTest, EveryEntryIsComplete) {
  ASSERT_EQ(Manifest().size(), 3u);
  for (const ManifestEntry& entry : Manifest()) {
    EXPECT_FALSE(entry.title.empty());
    for (const DatasetFile& file : entry.files) {
      EXPECT_FALSE(file.name.empty());
      EXPECT_EQ(file.sha256.size(), 64u);
      EXPECT_GT(file.bytes, 0);
    }
    for (const std::string& url : entry.urls) {
      EXPECT_TRUE(url.starts_with("http") && url.ends_with('/')) << url;
    }
  }
}

TEST(ManifestTest, FindsByName) {
  const ManifestEntry& entry = FindDataset("fashion_mnist");
  EXPECT_EQ(entry.title, "Fashion-MNIST");
  EXPECT_EQ(entry.files[kTestLabels].name, "t10k-labels-idx1-ubyte");
  EXPECT_EQ(entry.files[kTestLabels].bytes, 10008);
  ExpectError([] { FindDataset("cifar"); }, Code::kNotFound,
              "there is no dataset 'cifar'; there are fashion_mnist, mnist");
}

TEST(ManifestTest, OtherTextIsRefused) {
  for (const char* text :
       {"", "{", "[]", "{}", R"({"format": 2, "datasets": {}})",
        R"({"format": 1, "datasets": {"x": {}}})",
        R"({"format": 1, "datasets": {"x": {"title": 3, "urls": [],
            "files": {}}}})"}) {
    ExpectError([&] { ParseManifest(text); }, Code::kInvalidArgument, "");
  }
}

TEST(DataFolderTest, TheMostSpecificVariableWins) {
  setenv("HOME", "home", 1);
  setenv("XDG_CACHE_HOME", "cache", 1);
  setenv("LOCKSTEP_DATA_DIR", "data", 1);
  EXPECT_EQ(DefaultDataFolder(), "data");
  setenv("LOCKSTEP_DATA_DIR", "", 1);
  EXPECT_EQ(DefaultDataFolder(), "cache/lockstep/datasets");
  unsetenv("XDG_CACHE_HOME");
  EXPECT_EQ(DefaultDataFolder(), "home/.cache/lockstep/datasets");
  unsetenv("HOME");
  ExpectError([] { DefaultDataFolder(); }, Code::kFailedPrecondition,
              "[DataFolder] none of LOCKSTEP_DATA_DIR");
}

}  // namespace
}  // namespace lockstep
