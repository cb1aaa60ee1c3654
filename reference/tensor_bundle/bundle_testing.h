// Where tests find what TensorFlow wrote.
#ifndef LOCKSTEP_REFERENCE_TENSOR_BUNDLE_BUNDLE_TESTING_H_
#define LOCKSTEP_REFERENCE_TENSOR_BUNDLE_BUNDLE_TESTING_H_

#include <string>

namespace lockstep {

// A file of a checkpoint, e.g. "module/ckpt-1.index". REQUIRES: the test has
// //reference/checkpoint:testdata.
inline std::string TensorFlowFile(const std::string& name) {
  return "reference/checkpoint/testdata/" + name;
}

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TENSOR_BUNDLE_BUNDLE_TESTING_H_
