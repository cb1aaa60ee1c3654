// Processes with limited resources.
//
//   EndOf([] { LimitResource(RLIMIT_NOFILE, 3); Save("a"); })
//       // "Unavailable: [AtomicFile] cannot create a ..: Too many open files"
#ifndef LOCKSTEP_REFERENCE_BASE_LIMITS_LIMITED_PROCESS_H_
#define LOCKSTEP_REFERENCE_BASE_LIMITS_LIMITED_PROCESS_H_

#include <sys/resource.h>

#include <cstdint>
#include <functional>
#include <string>

namespace lockstep {

// Runs `work` in a new process. Returns "" if it finishes, else its Error's
// code and message, or "std::bad_alloc". The test fails if the process is ended
// by a signal, throws something else, or takes more than a minute.
std::string EndOf(const std::function<void()>& work);

// Limits a resource, as in setrlimit, to `most` for this process from now on.
void LimitResource(int resource, uint64_t most);

// The current use of this process: open files, bytes of address space.
uint64_t OpenFiles();
uint64_t AddressSpace();

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_LIMITS_LIMITED_PROCESS_H_
