// Sequential reading of bytes in memory, plain or compressed by gzip.
//
//   auto source = OpenBytes(archive, "train-images-idx3-ubyte.gz");
//   char magic[4];
//   source->Read(magic, 4);   // 4, or less at the end
#ifndef LOCKSTEP_DATASET_FILES_BYTE_SOURCE_H_
#define LOCKSTEP_DATASET_FILES_BYTE_SOURCE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace lockstep {

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Reads `count` bytes, or all that are left. Errors: DataLoss for a damaged
  // archive, with the offset in it.
  virtual int64_t Read(void* out, int64_t count) = 0;

  // An upper bound of the bytes left, from the size of the input.
  virtual int64_t UpperBound() const = 0;
};

// Recognises gzip by its first bytes. `origin` leads error messages.
// REQUIRES: `bytes` outlives the source.
std::unique_ptr<ByteSource> OpenBytes(std::string_view bytes,
                                      const std::string& origin);

// The raw content of a file. Errors: NotFound, Unavailable.
std::string ReadFileBytes(const std::string& path);

// The content of a file, uncompressed if it is gzip. Errors also:
// DataLoss for a damaged archive.
std::string ReadContent(const std::string& path);

}  // namespace lockstep

#endif  // LOCKSTEP_DATASET_FILES_BYTE_SOURCE_H_
