// All bytes of a file that is small enough for memory.
#ifndef LOCKSTEP_REFERENCE_BASE_FILES_FILE_BYTES_H_
#define LOCKSTEP_REFERENCE_BASE_FILES_FILE_BYTES_H_

#include <string>

namespace lockstep::export_internal {

// Errors: NotFound for a missing file; InvalidArgument for a folder or a
// device; Unavailable with the system's error.
std::string ReadFileBytes(const std::string& path);

// Writes the file atomically (base/atomic_file.h).
void WriteFileBytes(const std::string& path, const std::string& bytes);

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_BASE_FILES_FILE_BYTES_H_
