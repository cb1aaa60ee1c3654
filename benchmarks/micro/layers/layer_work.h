// One pass of a layer for which we have our own GPU kernels although cuDNN has
// some: what is measured, its name, and the bytes that it moves.
//
//   const LayerWork work{.kind = LayerKind::kSoftmax, .x = Shape{64, 10}};
//   EntryNameOf(work, "cudnn");
//   // "Softmax/pass:forward/x:64x10/dtype:float32/device:gpu/by:cudnn"
#ifndef LOCKSTEP_BENCHMARKS_MICRO_LAYERS_LAYER_WORK_H_
#define LOCKSTEP_BENCHMARKS_MICRO_LAYERS_LAYER_WORK_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reference/device/device.h"
#include "reference/kernels/windows.h"
#include "reference/tensor/dtype.h"
#include "reference/tensor/shape.h"
#include "reference/tensor/tensor.h"

namespace lockstep::benchmarks {

inline constexpr double kBatchNormEpsilon = 1e-5;  // ResNet-50's

enum class LayerKind { kMaxPool, kAvgPool, kBatchNorm, kSoftmax };
enum class LayerPass { kForward, kBackward };

struct LayerWork {
  LayerKind kind = LayerKind::kMaxPool;
  LayerPass pass = LayerPass::kForward;
  Shape x = {};  // images [N, H, W, C]; rows of a softmax
  kernels::Pool2DOptions windows = {};  // of a pooling
  DType dtype = DType::kFloat32;

  bool is_pool() const {
    return kind == LayerKind::kMaxPool || kind == LayerKind::kAvgPool;
  }
};

// Of the layer's result, and of its gradient.
Shape OutputShapeOf(const LayerWork& work);

// `by` names whose kernels do the work; names that differ in it alone compare.
std::string EntryNameOf(const LayerWork& work, std::string_view by);

// What any implementation of the pass must read and write: its inputs
// and outputs, each once. Vectors of one number per channel do not count.
int64_t BytesOf(const LayerWork& work);

// The number of runs, 5 to 100, in a graph that keeps a GPU busy for about a
// millisecond at 10^12 bytes a second.
int RunsOf(const LayerWork& work);

inline constexpr char kOwn[] = "own";
inline constexpr char kCudnn[] = "cudnn";
// The gradient does not depend on the order of threads.
inline constexpr char kCudnnDeterministic[] = "cudnn_deterministic";
// Reads x once for the moments and the result, where it fits on the chip.
inline constexpr char kCudnnPersistent[] = "cudnn_persistent";

// cuDNN's ways to do the work: some of the above.
std::vector<std::string> CudnnWaysOf(const LayerWork& work);

// The layers of the two workloads' training steps: both passes, each in float32
// and bfloat16.
std::vector<LayerWork> WorkloadLayers();

// Inputs of a layer that make two implementations comparable: whole numbers and
// quarters that bfloat16 holds, sums that float32 holds exactly, and no two
// equal elements in a window of a max pooling, where either could win.
struct LayerInputs {
  Tensor x;
  Tensor dy;           // the result's gradient
  Tensor gamma, beta;  // of batch normalization, in float32
};

// On `device`; the same ones for both passes.
LayerInputs MakeLayerInputs(const LayerWork& work, Device& device);

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_MICRO_LAYERS_LAYER_WORK_H_
