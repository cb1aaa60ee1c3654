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
    uint64_t begin;  // offset of its data from the end of the header
    uint64_t bytes;
  };

  std::vector<Entry> entries;  // in the order of their data
  std::map<std::string, std::string> metadata;
};

// The header's length and its JSON, padded with spaces so that the data begin at
// a multiple of 8.
std::string EncodeHeader(const SafetensorsHeader& header);

// `header` is the JSON, `data_bytes` the size of the data after it. Errors:
// DataLoss, with `origin`, if it is invalid; Unimplemented for types that our
// tensors do not have.
SafetensorsHeader DecodeHeader(std::string_view header, uint64_t data_bytes,
                               const std::string& origin);

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_EXPORT_SAFETENSORS_HEADER_H_
