// For any bytes, reading a catalog succeeds or throws a DataLoss or an
// Unimplemented, and its texts are no more than the bytes.
#include <cstddef>
#include <cstdint>

#include "reference/base/check.h"
#include "reference/base/error.h"
#include "text_datasets/mo_catalog.h"

namespace lockstep {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    size_t bytes = 0;
    for (const CatalogEntry& entry :
         ParseMo({reinterpret_cast<const char*>(data), size}, "fuzz")) {
      bytes += entry.context.size() + entry.original.size() +
               entry.translation.size();
    }
    LOCKSTEP_CHECK(bytes <= size);
  } catch (const Error& e) {
    LOCKSTEP_CHECK(e.code() == Code::kDataLoss ||
                   e.code() == Code::kUnimplemented);
  }
  return 0;
}

}  // namespace lockstep
