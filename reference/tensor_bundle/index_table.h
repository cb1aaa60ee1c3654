// A TensorBundle's index file, which is a LevelDB sorted table.
//
//   const std::string bytes = BuildIndexTable({{"", header}, {"v", entry}});
//   ParseIndexTable(bytes, "ckpt-1.index");   // returns the same entries
//
// Tables are written with TensorFlow's settings (no compression, blocks of
// 256 KiB), so the same entries give the same bytes as in TensorFlow.
#ifndef LOCKSTEP_REFERENCE_TENSOR_BUNDLE_INDEX_TABLE_H_
#define LOCKSTEP_REFERENCE_TENSOR_BUNDLE_INDEX_TABLE_H_

#include <map>
#include <string>
#include <string_view>

namespace lockstep::tensor_bundle_internal {

// Key -> value. Bytewise order of keys, as in the table.
using IndexEntries = std::map<std::string, std::string>;

std::string BuildIndexTable(const IndexEntries& entries);

// Checks every block's checksum. `file` is named in error messages.
// Errors: DataLoss if `bytes` are not an intact table.
IndexEntries ParseIndexTable(std::string_view bytes, const std::string& file);

}  // namespace lockstep::tensor_bundle_internal

#endif  // LOCKSTEP_REFERENCE_TENSOR_BUNDLE_INDEX_TABLE_H_
