// The disk usage of a folder, counted in short time slices.
//
//   FolderSize size(folder);        // a descriptor of it
//   size.CountFor(20ms);            // continues where it stopped
//   size.bytes();
//
// The program that fills the folder may nest folders without limit and write
// files faster than they are counted. Therefore each call is limited in time,
// and only the names of folders that are not counted yet are kept in memory. It
// uses no paths: it counts folders deeper than PATH_MAX, and a folder that was
// moved.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_PIPE_FOLDER_SIZE_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_PIPE_FOLDER_SIZE_H_

#include <dirent.h>
#include <sys/types.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace lockstep {

class FolderSize {
 public:
  // Every file counts at least this much, because even an empty file takes
  // space in the file system's tables, and time.
  static constexpr int64_t kMinFileBytes = 4096;

  // -1 is an empty folder. REQUIRES: `folder` stays open.
  explicit FolderSize(int folder = -1) : folder_(folder) {}

  // Counts for at most this long. After a complete count, the next call begins
  // again. May miss what is moved or removed meanwhile, or is not readable.
  void CountFor(std::chrono::milliseconds time);

  // The larger of the last complete count and the current one. Never too large
  // for a folder that only grows.
  int64_t bytes() const { return std::max(last_, counted_); }

 private:
  // A folder on the way from the counted one to the current one.
  struct Level {
    dev_t device;
    ino_t number;
    std::vector<std::string> to_visit;  // folders in it
  };

  void Step();
  void CountEntry(const char* name);
  // Enters `opened`, which it owns. Returns whether it could.
  bool Enter(int opened);
  // Returns to the parent; false if that is not possible.
  bool Leave();
  void End();

  int folder_;
  int64_t last_ = 0;
  int64_t counted_ = 0;
  std::vector<Level> levels_;
  std::unique_ptr<DIR, int (*)(DIR*)> open_{nullptr,
                                            &closedir};  // the last one
  bool all_read_ = false;                                // the entries of open_
};

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_PIPE_FOLDER_SIZE_H_
