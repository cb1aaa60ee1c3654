// What the files in a folder take on the disk, counted in short pieces of time.
//
//   FolderSize size(folder);        // a descriptor of it
//   size.CountFor(20ms);            // goes on where it was
//   size.bytes();
//
// Whoever fills the folder may nest folders without end and write files faster
// than they are counted. So a call takes its time and no more, and what is kept
// in memory are names of folders that are still to be counted. No path is made:
// a folder of any depth is counted, also below PATH_MAX, and also after the
// folder itself was moved.
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
  // A file counts as no less, however little stands in it: it takes this much
  // of the file system's own tables, and of our time.
  static constexpr int64_t kLeastOfAFile = 4096;

  // REQUIRES: `folder` stays open as long; -1 is a folder without files.
  explicit FolderSize(int folder = -1) : folder_(folder) {}

  // Counts for this long at most. When all is counted, the next call begins
  // again. What is moved or removed meanwhile, or may not be looked into, may
  // be missed.
  void CountFor(std::chrono::milliseconds time);

  // The larger of what the last whole count found and what this one has found so
  // far: of files that only become more it is never too much.
  int64_t bytes() const { return std::max(last_, counted_); }

 private:
  // A folder between the counted one and where the count is.
  struct Level {
    dev_t device;
    ino_t number;
    std::vector<std::string> to_visit;  // folders in it
  };

  void Step();
  void CountEntry(const char* name);
  // Whether `opened`, which it owns, could be entered.
  bool Enter(int opened);
  // Back to the folder around; false when there is none to go on with.
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
