#include "reference/preprocessing/words/word_hash.h"

#include <farmhash.h>
#include <highwayhash/sip_hash.h>

namespace lockstep::words_internal {
namespace {

uint64_t ShiftMix(uint64_t x) { return x ^ (x >> 47); }

}  // namespace

uint64_t Fingerprint(std::string_view word) {
  return util::Fingerprint64(word.data(), word.size());
}

uint64_t WordHash::operator()(std::string_view word) const {
  if (!salt_) return Fingerprint(word);
  const highwayhash::HH_U64 key[2] = {static_cast<uint64_t>(salt_->first),
                                      static_cast<uint64_t>(salt_->second)};
  return highwayhash::SipHash(key, word.data(), word.size());
}

// tsl's FingerprintCat64 (Murmur's mixing), which its feature crosses use.
uint64_t CrossHash(uint64_t hash, uint64_t feature) {
  constexpr uint64_t kMultiplier = 0xc6a4a7935bd1e995;
  uint64_t mixed = hash ^ kMultiplier;
  mixed ^= ShiftMix(feature * kMultiplier) * kMultiplier;
  mixed *= kMultiplier;
  mixed = ShiftMix(mixed) * kMultiplier;
  return ShiftMix(mixed);
}

}  // namespace lockstep::words_internal
