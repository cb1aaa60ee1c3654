// Feeds the IDX parser what no honest file holds. LLVMFuzzerTestOneInput is
// libFuzzer's entry; here it runs over a corpus and seeded mutations of it.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "datasets/idx.h"
#include "datasets/idx_testing.h"
#include "reference/base/error.h"
#include "reference/base/random.h"
#include "reference/device/device.h"

namespace lockstep {
namespace {

// What a file of some kilobytes can hold at most, compressed at deflate's limit.
constexpr int64_t kMostBytes = 64 << 20;

std::vector<std::string> Corpus() {
  std::vector<std::string> corpus = {
      "",
      "\x1f\x8b",
      MakeIdx(0x08, {2, 3}, "abcdef"),
      MakeIdx(0x0C, {2}, "abcdefgh"),
      MakeIdx(0x0D, {1, 1, 1}, "abcd"),
      MakeIdx(0x0E, {1}, "abcdefgh"),
      MakeIdx(0x09, {3}, "abc"),
      MakeIdx(0x08, {0xffffffff, 0xffffffff, 3}, "abc"),
      MakeIdx(0x08, {100, 100}, std::string(10000, '\0')),
  };
  const size_t plain = corpus.size();
  for (size_t i = 0; i < plain; ++i) corpus.push_back(Gzip(corpus[i]));
  return corpus;
}

std::string Mutate(std::string bytes, Random& random) {
  const uint64_t edits = 1 + random.UniformInt(4);
  for (uint64_t i = 0; i < edits; ++i) {
    const size_t at = random.UniformInt(bytes.size() + 1);
    const char value = static_cast<char>(random.Next32());
    switch (random.UniformInt(4)) {
      case 0:
        bytes.insert(at, 1, value);
        break;
      case 1:
        bytes.resize(at);
        break;
      case 2:
        bytes += bytes.substr(at);
        break;
      default:
        if (at < bytes.size()) bytes[at] = value;
    }
  }
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    ParseIdx({reinterpret_cast<const char*>(data), size}, "fuzz");
  } catch (const Error& e) {
    EXPECT_TRUE(e.code() == Code::kDataLoss || e.code() == Code::kUnimplemented)
        << e.what();
  }
  return 0;
}

namespace {

void Feed(const std::string& bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()),
                         bytes.size());
}

TEST(IdxFuzzTest, CorpusAndMutationsGiveTypedErrorsAndLittleMemory) {
  const std::vector<std::string> corpus = Corpus();
  for (const std::string& bytes : corpus) Feed(bytes);
  Random random(/*seed=*/20);
  for (int i = 0; i < 30000; ++i) {
    Feed(Mutate(corpus[random.UniformInt(corpus.size())], random));
  }
  const auto memory = Device::Current().pool().statistics();
  EXPECT_EQ(memory.bytes_in_use, 0);
  EXPECT_LT(memory.bytes_cached, kMostBytes);
}

}  // namespace
}  // namespace lockstep
