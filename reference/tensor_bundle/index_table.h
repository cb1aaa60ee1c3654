// A TensorBundle's index file: LevelDB's sorted table, read and written whole.
//
//   const std::string bytes = BuildIndexTable({{"", header}, {"v", entry}});
//   ParseIndexTable(bytes, "ckpt-1.index");   // the same entries again
//
// Written as TensorFlow writes it (no compression, blocks of 256 KiB), so the
// same entries give the same bytes.
#ifndef LOCKSTEP_REFERENCE_TENSOR_BUNDLE_INDEX_TABLE_H_
#define LOCKSTEP_REFERENCE_TENSOR_BUNDLE_INDEX_TABLE_H_

#include <map>
#include <string>
#include <string_view>

namespace lockstep::tensor_bundle_internal {

// Key -> value, in the bytewise order of keys that the table has.
using IndexEntries = std::map<std::string, std::string>;

std::string BuildIndexTable(const IndexEntries& entries);

// Checks every block's checksum. `file` leads messages.
// Errors: DataLoss for anything but an intact table.
IndexEntries ParseIndexTable(std::string_view bytes, const std::string& file);

}  // namespace lockstep::tensor_bundle_internal

#endif  // LOCKSTEP_REFERENCE_TENSOR_BUNDLE_INDEX_TABLE_H_
