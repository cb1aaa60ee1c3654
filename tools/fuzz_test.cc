// A fuzz target whose parser is right; proves that replay and search work.
#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace {

// The sum of the bytes that a length byte announces; a lie is an error.
int SumAnnounced(const uint8_t* data, size_t size) {
  if (size == 0 || data[0] > size - 1) throw std::invalid_argument("cut off");
  int sum = 0;
  for (size_t i = 1; i <= data[0]; ++i) sum += data[i];
  return sum;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    [[maybe_unused]] volatile int sum = SumAnnounced(data, size);
  } catch (const std::invalid_argument&) {
  }
  return 0;
}
