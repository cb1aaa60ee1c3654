// Where that leads which somebody gave as a file to write.
//
//   FindOutputTarget("result.json").file          // "result.json", to be replaced
//   FindOutputTarget("link").file                 // what the link names, there or not
//   FindOutputTarget("/dev/null").written_through()   // true: nothing to replace
//   FindOutputTarget("/dev/stdout").descriptor    // 1, as it is open already
//
// Only regular files may be replaced: a device, a pipe or a terminal under that
// name is somebody else's.
#ifndef LOCKSTEP_REFERENCE_BASE_OUTPUT_TARGET_H_
#define LOCKSTEP_REFERENCE_BASE_OUTPUT_TARGET_H_

#include <string>

namespace lockstep {

struct OutputTarget {
  // A regular file, or none yet, behind all symbolic links.
  std::string file = {};
  // A device or a named pipe; empty for a file.
  std::string special = {};
  // An open descriptor of this process, which its standard output and a shell's
  // process substitution have names for; else below 0.
  int descriptor = -1;

  bool written_through() const { return file.empty(); }
};

// Errors: InvalidArgument for no path; Unavailable, or NotFound, with the
// system's word for a folder, a socket, what may not be written to, and links
// that lead in a circle.
OutputTarget FindOutputTarget(const std::string& path);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_OUTPUT_TARGET_H_
