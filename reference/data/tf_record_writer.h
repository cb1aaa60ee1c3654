// TFRecord files, as tf.io.TFRecordWriter writes them.
//
//   TFRecordWriter writer("train.tfrecord");
//   writer.Write("one");
//   writer.Write("two");
//   writer.Close();
//   Dataset::FromTFRecords({"train.tfrecord"});   // 'one', 'two'
//
// The file appears complete on Close, or not at all (atomic_file.h).
#ifndef LOCKSTEP_REFERENCE_DATA_TF_RECORD_WRITER_H_
#define LOCKSTEP_REFERENCE_DATA_TF_RECORD_WRITER_H_

#include <optional>
#include <string>
#include <string_view>

#include "reference/base/atomic_file.h"
#include "reference/base/encoding/compression.h"

namespace lockstep {

class TFRecordWriter {
 public:
  // Errors, here and below: those of AtomicFile.
  explicit TFRecordWriter(const std::string& path,
                          Compression compression = Compression::kNone);

  // No file appears after an error.
  // Errors: FailedPrecondition after Close or an error.
  void Write(std::string_view record);
  // Errors: as Write.
  void Close();

 private:
  void CheckOpen(std::string_view operation) const;
  void WriteBuffer();

  AtomicFile file_;
  std::optional<Deflater> deflater_;
  std::string buffer_;
  bool open_ = true;  // until Close, or an error
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DATA_TF_RECORD_WRITER_H_
