#include "image_datasets/idx_testing.h"

namespace lockstep {

std::string MakeIdx(uint8_t code, const std::vector<uint32_t>& dims,
                    std::string_view payload) {
  std::string bytes = {0, 0, static_cast<char>(code),
                       static_cast<char>(dims.size())};
  for (const uint32_t dim : dims) {
    for (int shift = 24; shift >= 0; shift -= 8) {
      bytes += static_cast<char>(dim >> shift);
    }
  }
  return bytes.append(payload);
}

}  // namespace lockstep
