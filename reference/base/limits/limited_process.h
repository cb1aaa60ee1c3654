// Processes that get less from the system than they ask for.
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

// How `work` ends in a process of its own: "" where it came to its end, else its
// Error's code and message, or "std::bad_alloc". A test fails where it is ended
// by a signal, throws something else, or
// has no end within a minute.
std::string EndOf(const std::function<void()>& work);

// `most` of a resource as setrlimit names them, for this process from now on.
void LimitResource(int resource, uint64_t most);

// What this process has of them: open files, bytes of address space.
uint64_t OpenFiles();
uint64_t AddressSpace();

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_LIMITS_LIMITED_PROCESS_H_
