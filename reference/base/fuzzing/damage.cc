#include "reference/base/fuzzing/damage.h"

#include <algorithm>
#include <string_view>

namespace lockstep {
namespace {

constexpr size_t kLongestBlock = 64;

// A length of a block, at most `most` bytes.
size_t BlockLength(size_t most, std::mt19937& random) {
  return 1 + random() % std::min(most, kLongestBlock);
}

void SwapBlocks(std::string& bytes, std::mt19937& random) {
  if (bytes.size() < 2) return;
  const size_t length = BlockLength(bytes.size() / 2, random);
  const size_t first = random() % (bytes.size() - 2 * length + 1);
  const size_t end = first + length;
  const size_t second = end + random() % (bytes.size() - end - length + 1);
  std::swap_ranges(bytes.begin() + first, bytes.begin() + end,
                   bytes.begin() + second);
}

void AppendRubbish(std::string& bytes, std::mt19937& random) {
  const size_t length = BlockLength(kLongestBlock, random);
  for (size_t i = 0; i < length; ++i) bytes += static_cast<char>(random());
}

// Huge as a signed or unsigned number in either byte order.
void WriteHugeNumber(std::string& bytes, size_t at, std::mt19937& random) {
  using std::string_view_literals::operator""sv;
  constexpr std::string_view kHuge[] = {
      "\xff\xff\xff\xff"sv,
      "\x7f\xff\xff\xff"sv,
      "\xff\xff\xff\x7f"sv,
      "\xff\xff\xff\xff\xff\xff\xff\xff"sv,
      "\x7f\xff\xff\xff\xff\xff\xff\xff"sv,
      "\xff\xff\xff\xff\xff\xff\xff\x7f"sv,
      "\0\0\0\0\0\x01\0\0"sv,  // 2^40, or 2^16
  };
  const std::string_view number = kHuge[random() % std::size(kHuge)];
  bytes.replace(at, number.size(), number);
}

}  // namespace

std::string Damaged(std::string bytes, std::mt19937& random) {
  if (bytes.empty()) return std::string(1, static_cast<char>(random()));
  const size_t at = random() % bytes.size();
  switch (random() % 8) {
    case 0:
      bytes.resize(at);
      break;
    case 1:
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
      break;
    case 2:
      bytes[at] = "\x00\x7f\x80\xff"[random() % 4];
      break;
    case 3:
      bytes.insert(at, bytes.substr(at, BlockLength(kLongestBlock, random)));
      break;
    case 4:
      SwapBlocks(bytes, random);
      break;
    case 5:
      std::fill_n(bytes.begin() + at, BlockLength(bytes.size() - at, random),
                  '\0');
      break;
    case 6:
      AppendRubbish(bytes, random);
      break;
    default:
      WriteHugeNumber(bytes, at, random);
  }
  return bytes;
}

void ForDamagedCopies(const std::string& bytes, int count,
                      const std::function<void(const std::string&)>& body) {
  std::mt19937 random(1);
  for (int i = 0; i < count; ++i) {
    std::string damaged = Damaged(bytes, random);
    if (i % 2 == 1) damaged = Damaged(std::move(damaged), random);
    body(damaged);
  }
}

}  // namespace lockstep
