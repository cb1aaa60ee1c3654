#include "reference/base/random/stateless_random.h"

namespace lockstep {
namespace {

// The key with which TensorFlow makes keys of stateless seeds.
constexpr uint64_t kScrambleKey = 0x02461e293ec8f720;

}  // namespace

Random RandomAtBlock(uint64_t key, uint64_t stream, uint64_t block) {
  Random random(key, stream);
  // In four skips, because 4 * block may overflow.
  for (int i = 0; i < 4; ++i) random.Skip(block);
  return random;
}

Random StatelessRandom(uint64_t seed0, uint64_t seed1) {
  Random scrambled = RandomAtBlock(kScrambleKey, seed1, seed0);
  const uint64_t key = scrambled.Next64();
  return Random(key, /*stream=*/scrambled.Next64());
}

}  // namespace lockstep
