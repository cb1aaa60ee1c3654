// For any bytes, a safetensors file is read or refused with an Error. The input is
// used as the file, and as the header of a file with data.
#include <cstddef>
#include <cstdint>
#include <string>

#include "reference/base/fuzzing/fuzzed_files.h"
#include "reference/export/safetensors/header.h"
#include "reference/export/safetensors/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep::export_internal;  // NOLINT: of this folder
  using lockstep::AllowErrors;
  const std::string input(reinterpret_cast<const char*>(data), size);
  AllowErrors([&] { DecodeSafetensors(input, "fuzzed"); });
  AllowErrors([&] { DecodeHeader(input, 16, "fuzzed"); });
  return 0;
}
