// IDX files made in memory, for tests.
#ifndef LOCKSTEP_IMAGE_DATASETS_IDX_TESTING_H_
#define LOCKSTEP_IMAGE_DATASETS_IDX_TESTING_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

// Header for elements of type `code` (0x08: uint8), then `payload` unchanged.
std::string MakeIdx(uint8_t code, const std::vector<uint32_t>& dims,
                    std::string_view payload);

}  // namespace lockstep

#endif  // LOCKSTEP_IMAGE_DATASETS_IDX_TESTING_H_
