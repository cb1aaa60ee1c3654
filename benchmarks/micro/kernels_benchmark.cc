// The kernels of the reference network's training step, each beside the bare
// oneDNN convolution that computes the same sums.
//
//   ./bazelw run //benchmarks/micro:kernels_benchmark
//
// The network: 28 x 28 x 1 images, convolutions to 32 and 64 channels (3 x 3,
// ReLU, 2 x 2 pooling), dense layers to 64 and 10; 64 images, one thread. Ours
// and the bare primitive take turns, and the counters are the best processor
// times of both, so that the ratio (ours / bare) holds on a busy machine too.
#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "benchmarks/micro/bare_convolution.h"
#include "reference/kernels/convolution/conv2d.h"
#include "reference/kernels/convolution/conv2d_relu_max_pool2d.h"
#include "reference/kernels/linear/matmul.h"
#include "reference/kernels/normalization/softmax.h"
#include "reference/kernels/optimizer/optimizer_update.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::benchmarks {
namespace {

constexpr int64_t kImages = 64;

Tensor Random(const Shape& shape, uint32_t seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> distribution(-1, 1);
  Tensor tensor = EmptyOnHost(shape);
  std::generate_n(tensor.mutable_data<float>(), tensor.num_elements(),
                  [&] { return distribution(engine); });
  return tensor;
}

// The thread's own time, so that other processes count as little as can be.
double ThreadMicroseconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e6 +
         static_cast<double>(time.tv_nsec) * 1e-3;
}

template <class Work>
double Microseconds(const Work& work) {
  const double start = ThreadMicroseconds();
  work();
  return ThreadMicroseconds() - start;
}

// Times `ours` and `bare` in turns.
template <class Ours, class Bare>
void Compare(benchmark::State& state, const Ours& ours, const Bare& bare) {
  double best_ours = std::numeric_limits<double>::infinity();
  double best_bare = best_ours;
  for (auto _ : state) {
    best_bare = std::min(best_bare, Microseconds(bare));
    const double now = Microseconds(ours);
    best_ours = std::min(best_ours, now);
    state.SetIterationTime(now * 1e-6);
  }
  state.counters["best_us"] = best_ours;
  state.counters["bare_us"] = best_bare;
  state.counters["ratio"] = best_ours / best_bare;
}

// A convolution layer of the network: 1 or 2.
struct Layer {
  explicit Layer(int64_t number)
      : x(Random(number == 1 ? Shape{kImages, 28, 28, 1}
                             : Shape{kImages, 13, 13, 32},
                 1)),
        filter(Random(Shape{3, 3, x.dim(3), 32 * number}, 2)),
        bias(Random(Shape{filter.dim(3)}, 3)),
        bare({x.dim(0), x.dim(1), x.dim(2), x.dim(3)}, filter.dim(3)) {}

  Tensor x, filter, bias;
  BareConvolution bare;
};

void FusedForward(benchmark::State& state) {
  Layer layer(state.range(0));
  Compare(
      state,
      [&] {
        benchmark::DoNotOptimize(kernels::Conv2DReluMaxPool2D(
            layer.x, layer.filter, layer.bias, {}));
      },
      [&] { layer.bare.Forward(); });
}
BENCHMARK(FusedForward)->ArgName("layer")->Arg(1)->Arg(2)->UseManualTime();

// As in a training step: the first layer's images need no gradient.
void FusedBackward(benchmark::State& state) {
  Layer layer(state.range(0));
  const bool need_x = state.range(0) != 1;
  const auto result =
      kernels::Conv2DReluMaxPool2D(layer.x, layer.filter, layer.bias, {});
  const Tensor dy = Random(result.y.shape(), 4);
  Compare(
      state,
      [&] {
        benchmark::DoNotOptimize(kernels::Conv2DReluMaxPool2DBackward(
            layer.x, layer.filter, result.selection, dy, {}, need_x));
      },
      [&] {
        layer.bare.BackwardFilter();
        if (need_x) layer.bare.BackwardData();
      });
}
BENCHMARK(FusedBackward)->ArgName("layer")->Arg(1)->Arg(2)->UseManualTime();

void Conv2DForward(benchmark::State& state) {
  Layer layer(state.range(0));
  Compare(
      state,
      [&] {
        benchmark::DoNotOptimize(
            kernels::Conv2D(layer.x, layer.filter, layer.bias, {.relu = true}));
      },
      [&] { layer.bare.Forward(); });
}
BENCHMARK(Conv2DForward)->ArgName("layer")->Arg(1)->Arg(2)->UseManualTime();

void Conv2DBackward(benchmark::State& state) {
  Layer layer(state.range(0));
  const Tensor y =
      kernels::Conv2D(layer.x, layer.filter, layer.bias, {.relu = true});
  const Tensor dy = Random(y.shape(), 4);
  Compare(
      state,
      [&] {
        benchmark::DoNotOptimize(kernels::Conv2DBackward(
            layer.x, layer.filter, y, dy, {.relu = true}, true));
      },
      [&] {
        layer.bare.BackwardFilter();
        layer.bare.BackwardData();
      });
}
BENCHMARK(Conv2DBackward)->ArgName("layer")->Arg(2)->UseManualTime();

// Everything the network computes for one batch, against the convolutions.
struct Step {
  Step()
      : kernel1(Random(Shape{1600, 64}, 5)),
        bias1(Random(Shape{64}, 6)),
        kernel2(Random(Shape{64, 10}, 7)),
        bias2(Random(Shape{10}, 8)),
        labels(ZerosOnHost(Shape{kImages}, DType::kInt64)),
        dloss(Tensor::Full(Shape{kImages}, 1.0f / kImages, CurrentHost())) {}

  void Run() const {
    using namespace kernels;  // NOLINT: reads as the network
    const auto conv1 =
        Conv2DReluMaxPool2D(layer1.x, layer1.filter, layer1.bias, {});
    const auto conv2 =
        Conv2DReluMaxPool2D(conv1.y, layer2.filter, layer2.bias, {});
    const Tensor flat = conv2.y.Reshape(Shape{kImages, 1600});
    const Tensor hidden = Dense(flat, kernel1, bias1, true);
    const Tensor logits = Dense(hidden, kernel2, bias2);
    const auto loss = SparseSoftmaxCrossEntropy(logits, labels);
    const Tensor dlogits =
        SparseSoftmaxCrossEntropyBackward(loss.softmax, labels, dloss);
    const auto dense2 =
        DenseBackward(hidden, kernel2, logits, dlogits, false, true);
    const auto dense1 =
        DenseBackward(flat, kernel1, hidden, dense2.x, true, true);
    const auto back2 = Conv2DReluMaxPool2DBackward(
        conv1.y, layer2.filter, conv2.selection,
        dense1.x.Reshape(conv2.y.shape()), {}, true);
    benchmark::DoNotOptimize(Conv2DReluMaxPool2DBackward(
        layer1.x, layer1.filter, conv1.selection, back2.x, {}, false));
  }

  void RunBare() {
    layer1.bare.Forward();
    layer2.bare.Forward();
    layer2.bare.BackwardFilter();
    layer2.bare.BackwardData();
    layer1.bare.BackwardFilter();
  }

  Layer layer1{1};
  Layer layer2{2};
  Tensor kernel1, bias1, kernel2, bias2, labels, dloss;
};

void WholeStep(benchmark::State& state) {
  Step step;
  Compare(
      state, [&] { step.Run(); }, [&] { step.RunBare(); });
}
BENCHMARK(WholeStep)->UseManualTime();

void DenseForward(benchmark::State& state) {
  const Step step;
  const Tensor x = Random(Shape{kImages, 1600}, 1);
  for (auto _ : state) {
    benchmark::DoNotOptimize(kernels::Dense(x, step.kernel1, step.bias1, true));
  }
}
BENCHMARK(DenseForward);

void DenseBackward(benchmark::State& state) {
  const Step step;
  const Tensor x = Random(Shape{kImages, 1600}, 1);
  const Tensor y = kernels::Dense(x, step.kernel1, step.bias1, true);
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        kernels::DenseBackward(x, step.kernel1, y, y, true, true));
  }
}
BENCHMARK(DenseBackward);

void CrossEntropy(benchmark::State& state) {
  const Step step;
  const Tensor logits = Random(Shape{kImages, 10}, 1);
  for (auto _ : state) {
    const auto result = kernels::SparseSoftmaxCrossEntropy(logits, step.labels);
    benchmark::DoNotOptimize(kernels::SparseSoftmaxCrossEntropyBackward(
        result.softmax, step.labels, step.dloss));
  }
}
BENCHMARK(CrossEntropy);

// The network's 121,930 parameters.
void Adam(benchmark::State& state) {
  const std::vector<Shape> shapes{{3, 3, 1, 32}, {32}, {3, 3, 32, 64}, {64},
                                  {1600, 64},    {64}, {64, 10},       {10}};
  std::vector<std::array<Tensor, 4>> tensors;
  for (const Shape& shape : shapes) {
    tensors.push_back({Random(shape, 1), Random(shape, 2), ZerosOnHost(shape),
                       ZerosOnHost(shape)});
  }
  std::vector<kernels::AdamItem> items;
  for (auto& [variable, gradient, momentum, velocity] : tensors) {
    items.push_back({&variable, &gradient, &momentum, &velocity});
  }
  kernels::TrainingStep step{.learning_rate = Tensor::Scalar(0.001),
                             .iterations = Tensor::Scalar<int64_t>(0)};
  for (auto _ : state) {
    kernels::AdamUpdate(items, {}, step);
    ++*step.iterations.mutable_data<int64_t>();
  }
}
BENCHMARK(Adam);

}  // namespace
}  // namespace lockstep::benchmarks

BENCHMARK_MAIN();
