// Whether a thread may spin without taking a core from another one.
//
//   if (CoresAreFree()) spins = kLong;   // for a busy wait of some 100 us
//
// On a machine that other programs use too, a spinning thread keeps the awaited
// one from the only idle core.
#ifndef LOCKSTEP_REFERENCE_BASE_CORES_FREE_CORES_H_
#define LOCKSTEP_REFERENCE_BASE_CORES_FREE_CORES_H_

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep {

// The number of threads that are ready to run, "3" in "0.24 2.05 2.62 3/145 12"
// (/proc/loadavg); nullopt for another text.
std::optional<int> ReadyThreads(std::string_view loadavg);

// Remembers whether there were more ready threads than cores in the last tenths
// of a second.
class Crowding {
 public:
  // `path`: a file like /proc/loadavg. Without it there is always a crowd.
  Crowding(const std::string& path, int cores);
  ~Crowding();
  Crowding(const Crowding&) = delete;
  Crowding& operator=(const Crowding&) = delete;

  // Reads the file again.
  void Sample();
  // Whether nearly all of the last samples had too many threads: three quarters,
  // weighted by age.
  bool IsCrowded() const { return crowd_.load() >= 0.75f; }

 private:
  const int file_;  // -1 if there is none
  const int cores_;
  std::atomic<float> crowd_;  // a moving average: 1 if always crowded
};

// Whether each ready thread of the machine has a core, by at most one sample in
// 10 ms. False where this cannot be known.
bool CoresAreFree();

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_CORES_FREE_CORES_H_
