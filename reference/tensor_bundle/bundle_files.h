// Names of the files that make up one checkpoint.
//
//   IndexFile("train/ckpt-1");          // "train/ckpt-1.index"
//   DataFile("train/ckpt-1", 0, 1);     // "train/ckpt-1.data-00000-of-00001"
#ifndef LOCKSTEP_REFERENCE_TENSOR_BUNDLE_BUNDLE_FILES_H_
#define LOCKSTEP_REFERENCE_TENSOR_BUNDLE_BUNDLE_FILES_H_

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::tensor_bundle_internal {

std::string IndexFile(const std::string& prefix);
std::string DataFile(const std::string& prefix, int shard, int num_shards);

// Errors: Unavailable with the system's message if the lookup fails.
bool FileExists(const std::string& file);

// Whether the checkpoint is complete: whether it has an index, which is written
// last. Errors: as FileExists.
bool BundleExists(const std::string& prefix);

// The files of this checkpoint that exist, whatever its number of shards: the
// index first, so that deleting in order never leaves an index without data.
std::vector<std::string> ExistingFiles(const std::string& prefix);

// Returns the `size` bytes at `offset`. Errors: NotFound if there is no such
// file; DataLoss if it is shorter than offset + size; Unavailable with the
// system's message if it cannot be read, or is not a regular file.
std::string ReadFileRange(const std::string& file, int64_t offset,
                          int64_t size);

// The same, into `out`, which has room for `size` bytes.
void ReadFileRange(const std::string& file, int64_t offset, int64_t size,
                   char* out);

// Errors: as ReadFileRange.
int64_t FileSize(const std::string& file);

}  // namespace lockstep::tensor_bundle_internal

#endif  // LOCKSTEP_REFERENCE_TENSOR_BUNDLE_BUNDLE_FILES_H_
