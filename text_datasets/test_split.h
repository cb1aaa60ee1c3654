// Which part of a data set is for testing.
//
//   const TestSplit split({.test_share = 0.2, .seed = 1});
//   split.IsTest(0);   // false; true for a fifth of all numbers
#ifndef LOCKSTEP_TEXT_DATASETS_TEST_SPLIT_H_
#define LOCKSTEP_TEXT_DATASETS_TEST_SPLIT_H_

#include <cstdint>

namespace lockstep {

struct SplitOptions {
  double test_share = 0.2;
  uint64_t seed = 1;
};

class TestSplit {
 public:
  // Errors: InvalidArgument for a share outside 0 to 1.
  explicit TestSplit(const SplitOptions& options);

  // Depends on the seed, the share and the number only.
  bool IsTest(int64_t number) const;

 private:
  SplitOptions options_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_TEXT_DATASETS_TEST_SPLIT_H_
