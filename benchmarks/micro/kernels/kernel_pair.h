// The same work by a kernel of our own and by oneDNN, on the CPU.
//
// Both use the layouts of our kernels: rows, images NHWC, filters HWIO; on one
// thread, with warm caches. Where oneDNN prefers another layout, each run
// copies to it and back, as a training step would: always for filters, which
// change with each step, and for images where a name has "layout:any". oneDNN's
// primitives and memory are made once, in advance; ours take memory from a pool
// in each run.
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
  KernelRun onednn;  // empty where oneDNN has no such kernel
};

struct KernelPair {
  std::string name;
  // Makes inputs, primitives and memory.
  std::function<KernelRuns()> make;
  // The tolerance, relative to the largest magnitude of a result. Inputs are
  // small whole numbers, so sums of products are exact.
  double tolerance = 0;
};

// All pairs, to be made and run under a OneDnnThread, at shapes of three
// workloads' training steps: the CNN at 64 images a replica, ResNet-50 at 8
// images of 64 x 64 pixels; BERT at 32 sequences of 32 tokens.
std::vector<KernelPair> WorkloadKernels();

// Its parts.
std::vector<KernelPair> ConvolutionPairs();
std::vector<KernelPair> LinearPairs();
std::vector<KernelPair> PoolingPairs();
std::vector<KernelPair> NormalizationPairs();
std::vector<KernelPair> ElementPairs();
std::vector<KernelPair> TransformerPairs();

// What is wrong with `actual`, results of the same number, shapes and types; ""
// if nothing. A NaN is always wrong.
std::string KernelDifference(const std::vector<Tensor>& wanted,
                             const std::vector<Tensor>& actual,
                             double tolerance);

// Pseudorandom whole numbers in [-3, 3], the same on all machines.
Tensor WholeNumbers(const Shape& shape, uint32_t seed,
                    DType dtype = DType::kFloat32);

// "8x34x34x64".
std::string DimsOf(const Shape& shape);
// "MaxPool2D/pass:forward/x:8x34x34x64/dtype:float32".
std::string PairName(std::string_view kernel, std::string_view pass,
                     const Shape& x, DType dtype = DType::kFloat32);
// "Relu/x:64x64".
std::string PairName(std::string_view kernel, const Shape& x);

// Runs all primitives and returns `results`, which they write.
KernelRun OneDnnRun(const std::shared_ptr<OneDnnSequence>& calls,
                    const std::vector<Tensor>& results);

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_MICRO_KERNELS_KERNEL_PAIR_H_
