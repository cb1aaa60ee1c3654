// For any bytes, reading plain text succeeds or throws a DataLoss; its sentences
// are prose in sections that are not empty, and no more than the bytes.
#include <cstddef>
#include <cstdint>
#include <string>

#include "reference/base/check.h"
#include "reference/base/error.h"
#include "text_datasets/plain_text.h"
#include "text_datasets/sentences.h"

namespace lockstep {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    size_t bytes = 0;
    for (const auto& section :
         ParsePlainText({reinterpret_cast<const char*>(data), size}, "fuzz")) {
      LOCKSTEP_CHECK(!section.empty());
      for (const std::string& sentence : section) {
        LOCKSTEP_CHECK(IsProse(sentence));
        bytes += sentence.size();
      }
    }
    LOCKSTEP_CHECK(bytes <= size);
  } catch (const Error& e) {
    LOCKSTEP_CHECK(e.code() == Code::kDataLoss);
  }
  return 0;
}

}  // namespace lockstep
