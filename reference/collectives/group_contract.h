// For tests: what every Group must do, whatever its backend.
//
//   INSTANTIATE_TEST_SUITE_P(
//       InProcess, GroupContract,
//       testing::Values(GroupBackend{.name = "2",
//                                    .algorithm = "SharedMemoryAllReduce",
//                                    .make = [] { return ...Ranks(2)...; }}),
//       NameOfBackend);
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_GROUP_CONTRACT_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_GROUP_CONTRACT_H_

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <string>

#include "reference/collectives/collectives_testing.h"

namespace lockstep {

struct GroupBackend {
  std::string name;       // of the test: letters and digits
  std::string algorithm;  // of its groups
  // Makes all ranks, each on its own thread. Other processes run the same tests
  // in the same order.
  std::function<std::unique_ptr<Ranks>()> make;
  // Ranks may continue after a DeadlineExceeded, once all have left.
  bool outlives_deadlines = true;
};

inline std::ostream& operator<<(std::ostream& out,
                                const GroupBackend& backend) {
  return out << backend.name;
}

inline std::string NameOfBackend(
    const testing::TestParamInfo<GroupBackend>& backend) {
  return backend.param.name;
}

class GroupContract : public testing::TestWithParam<GroupBackend> {
 protected:
  const std::unique_ptr<Ranks> made_ = GetParam().make();
  Ranks& ranks_ = *made_;
  const int size_ = ranks_.size();
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_GROUP_CONTRACT_H_
