// Stands in for libFuzzer in ordinary test runs: feeds a fuzz target every file
// named on the command line, whole and damaged in ways that a seed fixes.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

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

// One of: cut off, a flipped bit, a byte of extreme value, bytes repeated.
std::string Damage(std::string input, std::mt19937& random) {
  if (input.empty()) return std::string(1, static_cast<char>(random()));
  const size_t at = random() % input.size();
  switch (random() % 4) {
    case 0:
      input.resize(at);
      break;
    case 1:
      input[at] = static_cast<char>(input[at] ^ (1 << random() % 8));
      break;
    case 2:
      input[at] = "\x00\x7f\x80\xff"[random() % 4];
      break;
    default:
      input.insert(at, input.substr(at, 1 + random() % 16));
  }
  return input;
}

TEST(FuzzReplay, TheCorpusIsHandled) {
  ASSERT_FALSE(Corpus().empty());
  for (const std::string& path : Corpus()) Feed(ReadFile(path));
}

TEST(FuzzReplay, DamagedCopiesAreHandled) {
  std::mt19937 random(1);
  for (const std::string& path : Corpus()) {
    const std::string whole = ReadFile(path);
    for (int i = 0; i < kDamagedCopies; ++i) {
      std::string damaged = Damage(whole, random);
      if (i % 2 == 1) damaged = Damage(damaged, random);
      Feed(damaged);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  Corpus().assign(argv + 1, argv + argc);
  return RUN_ALL_TESTS();
}
