// A file that appears whole or not at all.
//
//   AtomicFile file("model.index");   // fails here if it cannot be written
//   file.Append(bytes);
//   file.Commit();                    // fsync, the name, fsync of the folder
//
// Without Commit the old file, if any, stays as it was, and nothing is left of
// the new one, even if the process is killed: it has no name until then. (On a
// file system without nameless files, or without /proc, it is called
// <name>.tmp-<pid>-<n>, and a kill leaves it behind.)
//
// Symbolic links are followed. Commit writes through to a device, a named pipe,
// /dev/stdout and a shell's >(command).
//
// Errors name the path and the system's error: NotFound for a missing folder,
// ResourceExhausted for a full disk or a size limit, else Unavailable. The
// signals of a size limit and of a pipe without a reader do not end the
// process.
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
//   FindOutputTarget("link").file          // its target, existing or not
//   FindOutputTarget("/dev/null").written_through()   // true: not replaced
//   FindOutputTarget("/dev/stdout").descriptor        // 1, as it is open
//
// Only regular files are replaced; a device, a pipe or a terminal is not.
struct OutputTarget {
  // A regular file, existing or not, at the end of all symbolic links.
  std::string file = {};
  // A device or a named pipe; empty for a file.
  std::string special = {};
  // An open descriptor of this process, for its standard output and a shell's
  // process substitution; else negative.
  int descriptor = -1;

  bool written_through() const { return file.empty(); }
};

// Errors: InvalidArgument for an empty path; Unavailable or NotFound, with the
// system's error, for a folder, a socket, a path without write permission, and
// circular links.
OutputTarget FindOutputTarget(const std::string& path);

// What a committed file survives.
enum class Durability {
  kMachine,  // a power failure: Commit waits for the disk
  kProcess,  // only the end of the program, as TensorFlow's files
};

class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path,
                      Durability durability = Durability::kMachine);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void Append(std::string_view bytes);

  // Reserves bytes at the end and returns their offset; they must be written
  // before the file is made durable.
  int64_t Reserve(int64_t bytes);

  // Writes at such an offset. Several threads may write, each to its own bytes.
  void WriteAt(int64_t place, std::string_view bytes);

  // Bytes appended or reserved.
  int64_t bytes_written() const { return bytes_written_; }

  // Makes the contents durable before the file has its name, so that a full
  // disk is detected before one of several files is replaced.
  void Sync();

  // Makes the file durable and visible under its name. REQUIRES: called once.
  void Commit();

  // The same if no file has that name; otherwise does nothing and returns
  // false. Of several concurrent callers for a name, one succeeds.
  bool CommitNew();

  // Whether the file has its name: Commit returned, or failed afterwards.
  bool visible() const { return visible_; }

  // Whether Commit writes through: no file is replaced, and it cannot be
  // undone.
  bool written_through() const { return target_.written_through(); }

  const std::string& path() const { return path_; }

  // Errors: InvalidArgument if two of `files` would replace each other. Null
  // entries are ignored.
  static void CheckDistinct(std::initializer_list<const AtomicFile*> files);

 private:
  // Whether Commit waits for a disk.
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
  bool named_ = false;                // it has that name
  int descriptor_ = -1;  // of the file, or the one that is open already
  bool visible_ = false;
  int64_t bytes_written_ = 0;
  int64_t written_back_ = 0;  // bytes whose writeback has started
  std::string held_back_;     // to be written through
};

// Excludes other threads and processes from the files of a folder.
//
//   const FolderLock lock("train");    // waits for other holders
//   if (!exists("train/cache")) Write("train/cache");
//
// It leaves nothing in the folder, ends with its process, and excludes only
// processes that also take one.
class FolderLock {
 public:
  // Errors: NotFound for a missing folder; Unavailable with the system's error.
  explicit FolderLock(const std::string& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_ATOMIC_FILE_H_
