// The same work by a kernel of our own and by oneDNN, on the CPU.
//
// Both get and give what our kernels do: rows, images NHWC, filters HWIO; on
// one thread, with what they read in its caches as far as it fits. What oneDNN
// would rather have in another layout it copies there and back in each run, as
// a training step would have to: filters, which change with each step, and
// images where a name has "layout:any" and oneDNN prefers another one. What can
// be made once, primitives and memory, is made before; ours take theirs in
// each run, from a pool.
#ifndef LOCKSTEP_BENCHMARKS_MICRO_KERNELS_KERNEL_PAIR_H_
#define LOCKSTEP_BENCHMARKS_MICRO_KERNELS_KERNEL_PAIR_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/micro/kernels/onednn_sequence.h"
#include "reference/tensor/dtype.h"
#include "reference/tensor/shape.h"
#include "reference/tensor/tensor.h"

namespace lockstep::benchmarks {

inline constexpr double kRounding = 0x1p-24;  // relative, of one in float32

// Does the work once and gives its results.
using KernelRun = std::function<std::vector<Tensor>()>;

struct KernelRuns {
  KernelRun own;
  KernelRun onednn;  // empty for what it has not
};

struct KernelPair {
  std::string name;
  // Makes inputs, primitives and memory.
  std::function<KernelRuns()> make;
  // How far results may be apart, as a part of the largest magnitude that a
  // result has. Inputs are small whole numbers, so that all that multiplies and
  // adds is exact.
  double tolerance = 0;
};

// All pairs, to be made and run under a OneDnnThread, at shapes of the two
// workloads' training steps: the CNN at 64 images a replica, ResNet-50 at 8
// images of 64 x 64 pixels.
std::vector<KernelPair> WorkloadKernels();

// Its parts.
std::vector<KernelPair> ConvolutionPairs();
std::vector<KernelPair> LinearPairs();
std::vector<KernelPair> PoolingPairs();
std::vector<KernelPair> NormalizationPairs();
std::vector<KernelPair> ElementPairs();

// What is wrong with `actual`, as many results of the same shapes and types; ""
// for nothing. A NaN is always wrong.
std::string KernelDifference(const std::vector<Tensor>& wanted,
                             const std::vector<Tensor>& actual,
                             double tolerance);

// Whole numbers in [-3, 3] that look random and are the same everywhere.
Tensor WholeNumbers(const Shape& shape, uint32_t seed,
                    DType dtype = DType::kFloat32);

// "8x34x34x64".
std::string DimsOf(const Shape& shape);
// "MaxPool2D/pass:forward/x:8x34x34x64/dtype:float32".
std::string PairName(std::string_view kernel, std::string_view pass,
                     const Shape& x, DType dtype = DType::kFloat32);
// "Relu/x:64x64".
std::string PairName(std::string_view kernel, const Shape& x);

// Runs all and gives `results`, which it writes.
KernelRun OneDnnRun(const std::shared_ptr<OneDnnSequence>& calls,
                    const std::vector<Tensor>& results);

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_MICRO_KERNELS_KERNEL_PAIR_H_
