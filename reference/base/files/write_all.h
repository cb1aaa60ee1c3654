// Writing to what is open, all of it.
#ifndef LOCKSTEP_REFERENCE_BASE_FILES_WRITE_ALL_H_
#define LOCKSTEP_REFERENCE_BASE_FILES_WRITE_ALL_H_

#include <cstdint>
#include <string_view>

namespace lockstep {

// How far a write came, and the system's error number; 0 where it is whole.
struct WriteResult {
  int64_t bytes;
  int error_number;
};

// Goes on after interruptions and short writes. Neither a size limit's signal
// nor that of a pipe without a reader ends the process: they are errors.
WriteResult WriteAll(int descriptor, std::string_view bytes);

// The same from byte `place` of a regular file on; several threads may.
WriteResult WriteAllAt(int descriptor, int64_t place, std::string_view bytes);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_FILES_WRITE_ALL_H_
