// Where the windows of a convolution or pooling lie along one dimension.
//
//   PlaceWindows("Conv2D", 28, 3, 1, Padding::kValid);  // {26, 0, 0}
//   PlaceWindows("Conv2D", 28, 3, 1, Padding::kSame);   // {28, 1, 1}
//   PlaceWindows("Conv2D", 5, 2, 2, Padding::kSame);    // {3, 0, 1}
#ifndef LOCKSTEP_REFERENCE_KERNELS_PADDING_H_
#define LOCKSTEP_REFERENCE_KERNELS_PADDING_H_

#include <compare>
#include <cstdint>
#include <string_view>

namespace lockstep::kernels {

enum class Padding {
  kValid,  // only windows that lie wholly inside
  kSame,   // ceil(input / stride) windows; an odd pad goes behind
};

struct Windows {
  int64_t count;   // outputs along the dimension
  int64_t before;  // padding in front of the first element
  int64_t after;   // padding behind the last one; windows may need less

  auto operator<=>(const Windows&) const = default;
};

// Errors: InvalidArgument, naming `operation`, for a window or stride below 1
// and for a valid window larger than the input.
Windows PlaceWindows(std::string_view operation, int64_t input, int64_t window,
                     int64_t stride, Padding padding);

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_PADDING_H_
