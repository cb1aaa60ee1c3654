// A file that appears whole or not at all.
//
//   AtomicFile file("model.index");   // fails now where it cannot be written
//   file.Append(bytes);
//   file.Commit();                    // fsync, the name, fsync of the folder
//
// Without Commit the old file, if any, stays as it was, and nothing is left of
// the new one, also where the process is killed: it has no name until then.
// (Where a file system or a system without /proc knows no nameless files it is
// called <name>.tmp-<pid>-<n>; a kill leaves that.)
//
// Symbolic links are followed. A device, a named pipe, /dev/stdout and what a
// shell gives for >(command) are written through by Commit.
//
// Errors name the path and the system's word: NotFound for a missing folder,
// ResourceExhausted for a full disk or a size limit, else Unavailable. Neither
// the limit's signal nor that of a pipe without a reader ends the process.
#ifndef LOCKSTEP_REFERENCE_BASE_ATOMIC_FILE_H_
#define LOCKSTEP_REFERENCE_BASE_ATOMIC_FILE_H_

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "reference/base/files/write_all.h"

namespace lockstep {

// Resolves an output path.
//
//   FindOutputTarget("result.json").file   // "result.json", to be replaced
//   FindOutputTarget("link").file          // what it names, there or not
//   FindOutputTarget("/dev/null").written_through()   // true: none to replace
//   FindOutputTarget("/dev/stdout").descriptor        // 1, as it is open
//
// Only regular files may be replaced: a device, a pipe or a terminal under that
// name is not ours.
struct OutputTarget {
  // A regular file, or none yet, at the end of all symbolic links.
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

// The end of what a file that was committed survives.
enum class Durability {
  kMachine,  // also a power failure: Commit waits for the disk
  kProcess,  // of the program alone, as by TensorFlow's own files
};

class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path,
                      Durability durability = Durability::kMachine);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void Append(std::string_view bytes);

  // Leaves room for so many bytes at the end and gives the place; they are to
  // be written there before the file is made durable.
  int64_t Reserve(int64_t bytes);

  // Writes to such a place; several threads may, each to its own.
  void WriteAt(int64_t place, std::string_view bytes);

  // What was appended or reserved.
  int64_t bytes_written() const { return bytes_written_; }

  // Makes what was appended durable before it has its name, so that a full disk
  // shows before one of several files is replaced.
  void Sync();

  // Makes the file durable and visible under its name. REQUIRES: called once.
  void Commit();

  // The same where there is no file of that name yet; else false, and nothing
  // has happened. Of many that ask for one name at once, one gets it.
  bool CommitNew();

  // The file stands under its name: Commit returned, or failed after that.
  bool visible() const { return visible_; }

  // There is no file to be replaced: what comes, comes once and cannot be
  // undone.
  bool written_through() const { return target_.written_through(); }

  const std::string& path() const { return path_; }

  // Errors: InvalidArgument where two of `files`, or null, would replace each
  // other.
  static void CheckDistinct(std::initializer_list<const AtomicFile*> files);

 private:
  // There is a disk to be waited for.
  bool durable() const {
    return !written_through() && durability_ == Durability::kMachine;
  }
  void Open();
  void Close();
  void Publish();
  WriteResult Put(int64_t place, std::string_view bytes);
  void StartWriteback(int64_t begin, int64_t end) const;
  void WriteThrough();
  [[noreturn]] void Fail(std::string_view action, int error_number) const;
  [[noreturn]] void Fail(std::string_view action, int error_number,
                         int64_t bytes) const;

  const std::string path_;
  const OutputTarget target_;
  const Durability durability_;
  const std::string folder_;          // of the file
  const std::string temporary_path_;  // for a file that must have a name
  bool named_ = false;                // it has that
  int descriptor_ = -1;               // of the file, or what is open already
  bool visible_ = false;
  int64_t bytes_written_ = 0;
  int64_t written_back_ = 0;  // whose writeback has been started
  std::string held_back_;     // to be written through
};

// Keeps other threads and processes out of what is done to a folder's files.
//
//   const FolderLock lock("train");    // waits for others that hold one
//   if (!exists("train/cache")) Write("train/cache");
//
// It leaves nothing in the folder, ends with the process that holds it, and
// keeps out only processes that ask for one too.
class FolderLock {
 public:
  // Errors: NotFound for no such folder; Unavailable with the system's word.
  explicit FolderLock(const std::string& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_ATOMIC_FILE_H_
