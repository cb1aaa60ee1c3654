#include "reference/base/random.h"

#include <random>

#include "reference/base/check.h"

namespace lockstep {
namespace {

// Constants of the paper's Table 2.
constexpr uint64_t kMultiplier0 = 0xD2511F53;
constexpr uint64_t kMultiplier1 = 0xCD9E8D57;
constexpr uint32_t kWeyl0 = 0x9E3779B9;
constexpr uint32_t kWeyl1 = 0xBB67AE85;
constexpr int kRounds = 10;

}  // namespace

Random::Random(uint64_t seed, uint64_t stream)
    : key_{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)},
      counter_{0, 0, static_cast<uint32_t>(stream),
               static_cast<uint32_t>(stream >> 32)},
      block_{} {}

void Random::Refill() {
  std::array<uint32_t, 4> c = counter_;
  std::array<uint32_t, 2> k = key_;
  for (int round = 0; round < kRounds; ++round) {
    const uint64_t p0 = kMultiplier0 * c[0];
    const uint64_t p1 = kMultiplier1 * c[2];
    c = {static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ k[0],
         static_cast<uint32_t>(p1),
         static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ k[1],
         static_cast<uint32_t>(p0)};
    k = {k[0] + kWeyl0, k[1] + kWeyl1};
  }
  block_ = c;
  used_ = 0;
  if (++counter_[0] == 0) ++counter_[1];
}

uint32_t Random::Next32() {
  if (used_ == 4) Refill();
  return block_[used_++];
}

uint64_t Random::Next64() {
  const uint64_t low = Next32();
  return low | (static_cast<uint64_t>(Next32()) << 32);
}

void Random::Skip(uint64_t count) {
  const uint64_t left = 4 - used_;
  if (count < left) {
    used_ += static_cast<int>(count);
    return;
  }
  count -= left;
  const uint64_t block =
      (uint64_t{counter_[1]} << 32 | counter_[0]) + count / 4;
  counter_[0] = static_cast<uint32_t>(block);
  counter_[1] = static_cast<uint32_t>(block >> 32);
  used_ = 4;
  for (uint64_t i = 0; i < count % 4; ++i) Next32();
}

float Random::UniformFloat() { return (Next32() >> 8) * 0x1.0p-24f; }

uint64_t Random::UniformInt(uint64_t bound) {
  LOCKSTEP_CHECK(bound > 0);
  // Lemire's method: multiply, and redraw in the biased low range.
  if (bound <= UINT32_MAX) {
    const uint32_t bound32 = static_cast<uint32_t>(bound);
    uint64_t product = uint64_t{Next32()} * bound32;
    const uint32_t fringe = -bound32 % bound32;
    while (static_cast<uint32_t>(product) < fringe) {
      product = uint64_t{Next32()} * bound32;
    }
    return product >> 32;
  }
  const uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
  uint64_t value = Next64();
  while (value >= limit) value = Next64();
  return value % bound;
}

uint64_t RandomSeed() {
  std::random_device device;
  return (uint64_t{device()} << 32) | device();
}

}  // namespace lockstep
