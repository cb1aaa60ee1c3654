// Replaces libFuzzer in ordinary test runs: feeds a fuzz target every file
// named on the command line, whole and damaged in ways that a seed fixes.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "reference/base/fuzzing/damage.h"
#include "reference/base/fuzzing/rounds.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

constexpr int kDamagedCopies = 500;

std::vector<std::string>& Corpus() {
  static std::vector<std::string> paths;
  return paths;
}

std::string ReadFile(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  EXPECT_TRUE(stream) << path;
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

void Feed(const std::string& input) {
  // An exact copy on the heap, so that AddressSanitizer sees a read past it.
  const std::vector<uint8_t> copy(input.begin(), input.end());
  EXPECT_NO_THROW(LLVMFuzzerTestOneInput(copy.data(), copy.size()))
      << "input of " << input.size() << " bytes";
}

TEST(FuzzReplay, TheCorpusIsHandled) {
  ASSERT_FALSE(Corpus().empty());
  for (const std::string& path : Corpus()) Feed(ReadFile(path));
}

TEST(FuzzReplay, DamagedCopiesAreHandled) {
  for (const std::string& path : Corpus()) {
    lockstep::ForDamagedCopies(ReadFile(path),
                               kDamagedCopies * lockstep::TestRounds(), Feed);
  }
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  Corpus().assign(argv + 1, argv + argc);
  return RUN_ALL_TESTS();
}
