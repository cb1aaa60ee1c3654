// A file that is read once from front to back, plain or compressed, in memory
// that does not grow.
#ifndef LOCKSTEP_REFERENCE_DATA_SOURCES_INPUT_FILE_H_
#define LOCKSTEP_REFERENCE_DATA_SOURCES_INPUT_FILE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "reference/base/encoding/compression.h"

namespace lockstep::data_internal {

// Offsets are those of the content, behind decompression.
//
//   InputFile file("FromTextLines", "a.txt.gz", Compression::kGzip);
//   file.Peek();        // "to be or not to be"
//   file.Skip(3);
//   std::string word;
//   file.Read(2, &word);   // 2: "be"
//   file.offset();         // 5
//
// Messages are led by `operation` and name the file. Errors: NotFound and
// others of the system's; DataLoss, with the offset, for a damaged archive.
class InputFile {
 public:
  InputFile(std::string_view operation, std::string name,
            Compression compression);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  // What comes next, as much as is at hand, and nothing at the end. Good until
  // the next call.
  std::string_view Peek();
  // REQUIRES: Peek just gave as many.
  void Skip(int64_t count) { begin_ += count; }

  // Appends the next `count` bytes, or all that are left, and returns how many.
  // Memory grows with what is there, whatever `count`.
  int64_t Read(int64_t count, std::string* to);

  const std::string& name() const { return name_; }
  int64_t offset() const { return read_ - (end_ - begin_); }
  // Of the content, where the system knows it: a plain regular file's.
  std::optional<int64_t> size() const;

 private:
  void Fill();
  int64_t FillFromArchive();
  int64_t ReadFile(char* to);

  const std::string operation_;
  const std::string name_;
  int descriptor_ = -1;
  std::optional<Inflater> inflater_;
  std::unique_ptr<char[]> archive_;  // what was read, before decompression
  std::string_view archive_left_;    // of it
  const std::unique_ptr<char[]> buffer_;
  int64_t begin_ = 0;  // of what is left in the buffer
  int64_t end_ = 0;
  int64_t read_ = 0;  // content up to end_
};

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_SOURCES_INPUT_FILE_H_
