// What disks, copies and attackers do to a file.
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

// One of: cut off, a flipped bit, a byte of extreme value, bytes repeated, two
// blocks that changed places, a range of zeros, bytes appended, a number of four
// or eight bytes that became a huge one. It may happen to change nothing.
std::string Damaged(std::string bytes, std::mt19937& random);

// Calls `body` with `count` copies, every second one damaged in two ways; the
// same ones each time.
void ForDamagedCopies(const std::string& bytes, int count,
                      const std::function<void(const std::string&)>& body);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_FUZZING_DAMAGE_H_
