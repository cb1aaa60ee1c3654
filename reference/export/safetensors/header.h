// The header of a safetensors file.
#ifndef LOCKSTEP_REFERENCE_EXPORT_SAFETENSORS_HEADER_H_
#define LOCKSTEP_REFERENCE_EXPORT_SAFETENSORS_HEADER_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "reference/tensor/tensor.h"

namespace lockstep::export_internal {

struct SafetensorsHeader {
  struct Entry {
    std::string name;
    TensorSpec spec;
    uint64_t begin;  // of the data, counted from the end of the header
    uint64_t bytes;
  };

  std::vector<Entry> entries;  // in the order of their data
  std::map<std::string, std::string> metadata;
};

// The length, and the JSON with spaces behind it, so that data begin at a
// multiple of 8.
std::string EncodeHeader(const SafetensorsHeader& header);

// `header` is the JSON, `data_bytes` what follows. Errors: DataLoss with
// `origin`; Unimplemented for types that no tensor has.
SafetensorsHeader DecodeHeader(std::string_view header, uint64_t data_bytes,
                               const std::string& origin);

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_EXPORT_SAFETENSORS_HEADER_H_
