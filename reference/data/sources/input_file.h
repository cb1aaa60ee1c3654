// A plain or compressed file that is read once from front to back, in constant
// memory.
#ifndef LOCKSTEP_REFERENCE_DATA_SOURCES_INPUT_FILE_H_
#define LOCKSTEP_REFERENCE_DATA_SOURCES_INPUT_FILE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "reference/base/encoding/compression.h"

namespace lockstep::data_internal {

// Offsets are those of the content, after decompression.
//
//   InputFile file("FromTextLines", "a.txt.gz", Compression::kGzip);
//   file.Peek();        // "to be or not to be"
//   file.Skip(3);
//   std::string word;
//   file.Read(2, &word);   // 2: "be"
//   file.offset();         // 5
//
// Messages begin with `operation` and name the file. Errors: NotFound and other
// system errors; DataLoss, with the offset, for a damaged archive.
class InputFile {
 public:
  InputFile(std::string_view operation, std::string name,
            Compression compression);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  // The next bytes, as many as are buffered; empty at the end. Valid until the
  // next call.
  std::string_view Peek();
  // REQUIRES: the last Peek returned at least `count` bytes.
  void Skip(int64_t count) { begin_ += count; }

  // Appends the next `count` bytes, or all that are left, and returns how many.
  // Allocates only for bytes that exist, whatever `count` is.
  int64_t Read(int64_t count, std::string* to);

  const std::string& name() const { return name_; }
  int64_t offset() const { return read_ - (end_ - begin_); }
  // The size of the content, if the system knows it: that of a plain regular
  // file.
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
