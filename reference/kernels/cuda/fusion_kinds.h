// What a plan does itself of y = relu(x * w + bias), and what is left to a
// kernel behind it.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_FUSION_KINDS_H_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_FUSION_KINDS_H_

#include <vector>

namespace lockstep::kernels_internal {

struct Fusion {
  bool bias = false;
  bool relu = false;
  // It gives x * w in float32, which the kernel behind it rounds, once.
  bool wide = false;

  bool operator==(const Fusion&) const = default;
};

// The kinds of plans to look for, best first: all that is wanted, then without
// ReLU, then without bias too. Nobody adds a bias behind a ReLU.
// may_fuse_relu = false leaves out those with ReLU. 16-bit results (`narrow`) to
// which the bias is added behind are wide; only where a library has no such plan
// they are rounded before the bias and once more behind it.
inline std::vector<Fusion> FusionKinds(const Fusion& wanted, bool may_fuse_relu,
                                       bool narrow) {
  std::vector<Fusion> kinds;
  if (wanted.relu && may_fuse_relu) {
    kinds.push_back({.bias = wanted.bias, .relu = true});
  }
  if (wanted.bias) kinds.push_back({.bias = true});
  if (wanted.bias && narrow) kinds.push_back({.wide = true});
  kinds.push_back({});
  return kinds;
}

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_FUSION_KINDS_H_
