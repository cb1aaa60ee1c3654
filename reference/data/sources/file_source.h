// The node shared by the sources that read files, each a sequence of strings.
#ifndef LOCKSTEP_REFERENCE_DATA_SOURCES_FILE_SOURCE_H_
#define LOCKSTEP_REFERENCE_DATA_SOURCES_FILE_SOURCE_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/encoding/compression.h"
#include "reference/data/dataset_node.h"
#include "reference/data/printing/pipeline_text.h"

namespace lockstep::data_internal {

// The records of one file.
class RecordFile {
 public:
  RecordFile() = default;
  virtual ~RecordFile() = default;
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;

  // False at the end. REQUIRES: `record` is empty.
  virtual bool Next(std::string* record) = 0;
};

using OpenRecordFile =
    std::function<std::unique_ptr<RecordFile>(const std::string& file)>;

// A source called `name` of string scalars: the records of all files. After a
// file that cannot be opened or read, reading continues with the next one.
//
// Errors: InvalidArgument, led by `operation`, for a file without a name.
// REQUIRES: `name` is a literal; `arguments` are those beside the files.
NodePtr MakeFileSource(std::string_view name, std::string_view operation,
                       std::vector<std::string> files, OpenRecordFile open,
                       const Arguments& arguments);

// "", "GZIP" or "ZLIB", as tf.data names them.
inline std::string_view CompressionName(Compression compression) {
  switch (compression) {
    case Compression::kGzip:
      return "GZIP";
    case Compression::kZlib:
      return "ZLIB";
    default:
      return "";
  }
}

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_SOURCES_FILE_SOURCE_H_
