// Damages bytes as disks, copying and attackers do.
//
//   std::mt19937 random(1);
//   Damaged("abcdef", random);           // "abdcef", "abc", "abcdef\x8a", ...
//   ForDamagedCopies(bytes, 40, [&](const std::string& damaged) { ... });
#ifndef LOCKSTEP_REFERENCE_BASE_FUZZING_DAMAGE_H_
#define LOCKSTEP_REFERENCE_BASE_FUZZING_DAMAGE_H_

#include <functional>
#include <random>
#include <string>

namespace lockstep {

// One of: truncation, a flipped bit, a byte of extreme value, repeated bytes,
// two swapped blocks, a range of zeros, appended bytes, a huge number of four
// or eight bytes. May change nothing by chance.
std::string Damaged(std::string bytes, std::mt19937& random);

// Calls `body` with `count` copies, every second one damaged twice; the same
// copies each time.
void ForDamagedCopies(const std::string& bytes, int count,
                      const std::function<void(const std::string&)>& body);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_FUZZING_DAMAGE_H_
