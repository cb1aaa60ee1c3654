// oneDNN's direct convolution with nothing around it: the yardstick for ours.
//
//   BareConvolution bare({64, 13, 13, 32}, 64);   // to 64 channels, 3 x 3
//   bare.Forward();
//
// Arrays stay in whatever layout oneDNN likes best; no ReLU, no pooling, no
// copy from or to the layouts of a training step. One thread.
#ifndef LOCKSTEP_BENCHMARKS_MICRO_BARE_CONVOLUTION_H_
#define LOCKSTEP_BENCHMARKS_MICRO_BARE_CONVOLUTION_H_

#include <array>
#include <cstdint>
#include <memory>

namespace lockstep::benchmarks {

class BareConvolution {
 public:
  // `x` is NHWC; the filter is 3 x 3, the stride 1, without padding.
  BareConvolution(std::array<int64_t, 4> x, int64_t outputs);
  ~BareConvolution();

  void Forward();
  void BackwardFilter();  // and bias
  void BackwardData();

 private:
  struct Primitives;
  std::unique_ptr<Primitives> primitives_;
};

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_MICRO_BARE_CONVOLUTION_H_
