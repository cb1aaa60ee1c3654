// Writes all bytes to an open descriptor.
#ifndef LOCKSTEP_REFERENCE_BASE_FILES_WRITE_ALL_H_
#define LOCKSTEP_REFERENCE_BASE_FILES_WRITE_ALL_H_

#include <cstdint>
#include <string_view>

namespace lockstep {

// The number of bytes written, and the system's error number, or 0.
struct WriteResult {
  int64_t bytes;
  int error_number;
};

// Continues after interruptions and short writes. A size limit and a pipe
// without a reader are errors; their signals do not end the process.
WriteResult WriteAll(int descriptor, std::string_view bytes);

// The same from byte `place` of a regular file on. Thread-safe.
WriteResult WriteAllAt(int descriptor, int64_t place, std::string_view bytes);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_FILES_WRITE_ALL_H_
