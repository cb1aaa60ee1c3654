// For any bytes, reading ratings succeeds or throws a DataLoss.
#include <cstddef>
#include <cstdint>

#include "rating_datasets/ratings.h"
#include "reference/base/check.h"
#include "reference/base/error.h"

namespace lockstep {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const Ratings ratings = NumberFromZero(
        ParseRatings({reinterpret_cast<const char*>(data), size}, "fuzz"));
    for (const Rating& rating : ratings.all) {
      LOCKSTEP_CHECK(rating.user >= 0 && rating.user < ratings.users);
      LOCKSTEP_CHECK(rating.item >= 0 && rating.item < ratings.items);
      LOCKSTEP_CHECK(rating.value >= 0 && rating.value <= 5);
    }
    const LastOut split = LeaveLastOut(ratings);
    LOCKSTEP_CHECK(split.train.size() + split.test.size() <=
                   ratings.all.size());
  } catch (const Error& e) {
    LOCKSTEP_CHECK(e.code() == Code::kDataLoss);
  }
  return 0;
}

}  // namespace lockstep
