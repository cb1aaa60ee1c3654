// What a plan does itself of y = relu(x * w + bias), and what is left to a
// kernel behind it.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_FUSION_KINDS_H_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_FUSION_KINDS_H_

#include <vector>

namespace lockstep::kernels_internal {

struct Fusion {
  bool bias = false;
  bool relu = false;

  bool operator==(const Fusion&) const = default;
};

// The kinds of plans to look for, best first: all that is wanted, then without
// ReLU, then without bias too. Nobody adds a bias behind a ReLU.
// may_fuse_relu = false leaves out those with ReLU.
inline std::vector<Fusion> FusionKinds(const Fusion& wanted,
                                       bool may_fuse_relu) {
  std::vector<Fusion> kinds;
  if (wanted.relu && may_fuse_relu) kinds.push_back(wanted);
  if (wanted.bias) kinds.push_back({.bias = true});
  kinds.push_back({});
  return kinds;
}

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_FUSION_KINDS_H_
