// A record of TensorFlow's TFRecord and event files: its length in 8 bytes,
// their masked checksum, the bytes, and their masked checksum.
#ifndef LOCKSTEP_REFERENCE_BASE_ENCODING_RECORD_H_
#define LOCKSTEP_REFERENCE_BASE_ENCODING_RECORD_H_

#include <string>
#include <string_view>

namespace lockstep {

// Appends a record to `out`.
void AppendRecord(std::string_view record, std::string& out);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_ENCODING_RECORD_H_
