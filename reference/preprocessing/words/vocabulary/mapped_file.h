// A file's bytes in memory, without a copy: all processes that map the file
// share its pages, and it may be larger than free memory.
//
//   const MappedFile file("words.txt");
//   file.bytes();             // a view while `file` lives
//   file.CheckUnchanged();    // throws if another process wrote to it
//
// To replace a file, write a new one and rename it over the old: the old bytes
// then stay here. Bytes that are read after the file was
// shortened in place end the process (SIGBUS), so check before reading.
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_VOCABULARY_MAPPED_FILE_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_VOCABULARY_MAPPED_FILE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::words_internal {

class MappedFile {
 public:
  // Errors: NotFound for a missing file; InvalidArgument for a folder or a
  // device; Unavailable with the system's error.
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::string& path() const { return path_; }
  std::string_view bytes() const {
    return {static_cast<const char*>(address_), size_};
  }

  // Takes less than a microsecond. Errors: FailedPrecondition if the size or
  // the time of the last change is another than when it was opened.
  void CheckUnchanged() const;

 private:
  struct State {
    int64_t size;
    int64_t seconds;
    int64_t nanoseconds;

    bool operator==(const State&) const = default;
  };

  State ReadState() const;

  std::string path_;
  int descriptor_ = -1;
  void* address_ = nullptr;
  size_t size_ = 0;
  State opened_ = {};
};

}  // namespace lockstep::words_internal

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_VOCABULARY_MAPPED_FILE_H_
