// Seeded random numbers that are the same on every machine and library.
//
// Philox 4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3",
// SC'11): a counter is encrypted with a key, so streams never overlap.
//
//   Random random(/*seed=*/42);            // stream 0
//   Random other(/*seed=*/42, /*stream=*/1);
//   random.UniformInt(6);                  // 0..5, without bias
#ifndef LOCKSTEP_REFERENCE_BASE_RANDOM_H_
#define LOCKSTEP_REFERENCE_BASE_RANDOM_H_

#include <array>
#include <cstdint>

namespace lockstep {

class Random {
 public:
  explicit Random(uint64_t seed, uint64_t stream = 0);

  uint32_t Next32();
  uint64_t Next64();

  // Leaves out what the next `count` calls of Next32 would return.
  void Skip(uint64_t count);

  // Uniform in [0, 1): 24 random bits.
  float UniformFloat();

  // Uniform in [0, bound). REQUIRES: bound > 0.
  uint64_t UniformInt(uint64_t bound);

 private:
  void Refill();

  std::array<uint32_t, 2> key_;
  std::array<uint32_t, 4> counter_;
  std::array<uint32_t, 4> block_;
  int used_ = 4;
};

// A random seed, a new one in each call.
uint64_t RandomSeed();

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_RANDOM_H_
