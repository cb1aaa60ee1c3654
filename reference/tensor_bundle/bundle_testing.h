// Checkpoints that TensorFlow wrote, for tests.
#ifndef LOCKSTEP_REFERENCE_TENSOR_BUNDLE_BUNDLE_TESTING_H_
#define LOCKSTEP_REFERENCE_TENSOR_BUNDLE_BUNDLE_TESTING_H_

#include <string>

namespace lockstep {

// The path of a file such as "module/ckpt-1.index". REQUIRES: the test's data
// include //reference/checkpoint:testdata.
inline std::string TensorFlowFile(const std::string& name) {
  return "reference/checkpoint/testdata/" + name;
}

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TENSOR_BUNDLE_BUNDLE_TESTING_H_
