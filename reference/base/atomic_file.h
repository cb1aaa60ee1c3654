// A file that appears whole or not at all.
//
//   AtomicFile file("model.index");   // writes model.index.tmp-<pid>-<n>
//   file.Append(bytes);
//   file.Commit();                    // fsync, rename, fsync of the folder
//
// Without Commit the destructor removes what was written and the old file, if
// any, stays as it was. Errors name the path and the system's word: NotFound
// for a missing folder, ResourceExhausted for a full disk or a size limit, else
// Unavailable.
#ifndef LOCKSTEP_REFERENCE_BASE_ATOMIC_FILE_H_
#define LOCKSTEP_REFERENCE_BASE_ATOMIC_FILE_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep {

class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void Append(std::string_view bytes);

  int64_t bytes_written() const { return bytes_written_; }

  // Makes what was appended durable under its temporary name, so that a full
  // disk shows before one of several files is replaced.
  void Sync();

  // Makes the file durable and visible under its name. REQUIRES: called once.
  void Commit();

  // The file stands under its name: Commit returned, or failed after that.
  bool visible() const { return visible_; }

 private:
  [[noreturn]] void Fail(std::string_view action, int error_number) const;

  std::string path_;
  std::string temporary_path_;
  int descriptor_ = -1;
  bool visible_ = false;
  int64_t bytes_written_ = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_ATOMIC_FILE_H_
