// How it works (the formulas are in winograd.h). Every thread takes whole
// images, and works through their tiles kTiles at a time, so that the
// transformed values stay in its core's cache. [16] stands for the 16 planes,
// one per position of a transformed tile:
//
//   forward, for each group of tiles
//     x       -> transform  -> inputs  [16][tiles][inputs]
//     inputs  *  u             u       [16][inputs][outputs], for all images
//             -> outputs       outputs [16][tiles][outputs]
//     outputs -> transform, pool, ReLU -> y, selection
//
//   backward, for each group of tiles
//     x       -> transform  -> inputs  [16][tiles][inputs]
//     dy      -> expand     -> outputs [16][tiles][outputs], dbias
//     inputs' *  outputs   +=  dfilter [16][inputs][outputs], one per thread
//     outputs *  u'         -> inputs, which are no longer needed
//     inputs  -> transform +=  dx
//
// A thread's workspace is one block: dfilter and dbias, which are sums over its
// images, then what it overwrites with each group. In the end the threads' sums
// are added in the order of the threads, and the filter's gradient is
// transformed back once. Patches of neighbouring tiles overlap by two rows or
// columns, so dx is added to; no other thread has the image.
#include <algorithm>

#include "reference/base/threads.h"
#include "reference/kernels/convolution/cpu/winograd.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::kernels_internal {
namespace {

// Tiles processed at once, whose transforms stay in a core's L2 cache.
constexpr int64_t kTiles = 48;

// Divides one block of floats into pieces, each starting a cache line. Without
// a block it only counts.
class Block {
 public:
  explicit Block(float* block) : block_(block) {}

  float* Take(int64_t floats) {
    const int64_t offset = size_;
    size_ += (floats + 15) / 16 * 16;
    return block_ ? block_ + offset : nullptr;
  }
  WinogradPlanes TakePlanes(int64_t rows, int64_t channels) {
    WinogradPlanes planes{nullptr, rows, PadChannels(channels)};
    planes.data = Take(planes.size());
    return planes;
  }
  int64_t size() const { return size_; }

 private:
  float* block_;
  int64_t size_ = 0;
};

// The memory of one thread.
struct Workspace {
  Workspace(const WinogradTiles& tiles, Block& block)
      : dfilter(block.TakePlanes(tiles.inputs, tiles.outputs)),
        dbias(block.Take(tiles.outputs)),
        sums(block.size()),
        inputs(block.TakePlanes(kTiles, tiles.inputs)),
        outputs(block.TakePlanes(kTiles, tiles.outputs)),
        patch(block.Take(16 * tiles.inputs)) {}

  // Sums over the thread's images: the first `sums` floats of the block.
  WinogradPlanes dfilter;
  float* dbias;
  int64_t sums;

  WinogradPlanes inputs;   // transformed inputs, or their gradients
  WinogradPlanes outputs;  // products, or the expanded gradient
  float* patch;
};

int64_t WorkspaceSize(const WinogradTiles& tiles) {
  Block measure(nullptr);
  const Workspace workspace(tiles, measure);
  return measure.size();
}

// Sets the padding after a plane's channels to zero: it is read, but never
// written.
void ClearPadding(const WinogradPlanes& planes, int64_t channels) {
  if (channels != planes.channels) {
    std::fill_n(planes.data, planes.size(), 0.0f);
  }
}

// Transposes [3, 3, inputs, outputs] to [3, 3, outputs, inputs].
Tensor TransposeFilter(const Tensor& filter) {
  const int64_t inputs = filter.dim(2);
  const int64_t outputs = filter.dim(3);
  Tensor transposed = EmptyOnHost(Shape{3, 3, outputs, inputs});
  for (int64_t tap = 0; tap < 9; ++tap) {
    const float* from = filter.data<float>() + tap * inputs * outputs;
    float* to = transposed.mutable_data<float>() + tap * inputs * outputs;
    for (int64_t i = 0; i < inputs; ++i) {
      for (int64_t o = 0; o < outputs; ++o) {
        to[o * inputs + i] = from[i * outputs + o];
      }
    }
  }
  return transposed;
}

// Calls body(first, count) for the tiles of images [begin, end).
template <class Body>
void ForTiles(const WinogradTiles& tiles, int64_t begin, int64_t end,
              const Body& body) {
  const int64_t last = end * tiles.per_image();
  for (int64_t t = begin * tiles.per_image(); t < last; t += kTiles) {
    body(t, std::min(kTiles, last - t));
  }
}

// The tensors of one backward pass.
struct Backward {
  const WinogradTiles& tiles;
  const float* x;
  const uint8_t* selection;
  const float* dy;
  WinogradPlanes filter;  // transformed transpose, if dx is needed
  float* dx;              // or nullptr

  void Run(int64_t begin, int64_t end, const Workspace& space) const {
    const int64_t image = tiles.height * tiles.width * tiles.inputs;
    if (dx) std::fill_n(dx + begin * image, (end - begin) * image, 0.0f);
    ClearPadding(space.outputs, tiles.outputs);
    ForTiles(tiles, begin, end, [&](int64_t first, int64_t count) {
      WinogradTransformInput(tiles, x, first, count, space.inputs, space.patch);
      WinogradExpandGradient(dy, selection, tiles.outputs, first, count,
                             space.outputs, space.dbias);
      WinogradMultiplyTransposed(space.inputs, space.outputs, count,
                                 tiles.inputs, space.dfilter);
      if (dx == nullptr) return;
      WinogradMultiply(space.outputs, filter, count, tiles.outputs,
                       space.inputs);
      WinogradInputGradient(tiles, space.inputs, first, count, dx, space.patch);
    });
  }
};

}  // namespace

void WinogradConvPool(const WinogradTiles& tiles, const Tensor& x,
                      const Tensor& filter, const Tensor& bias, Tensor& y,
                      Tensor& selection) {
  const int64_t size = WorkspaceSize(tiles);
  Tensor memory = EmptyOnHost(
      Shape{CurrentTeamSize() * size +
            WinogradPlanes{nullptr, tiles.inputs, PadChannels(tiles.outputs)}
                .size()});
  float* workspaces = memory.mutable_data<float>();
  Block rest(workspaces + CurrentTeamSize() * size);
  const WinogradPlanes u = rest.TakePlanes(tiles.inputs, tiles.outputs);
  ClearPadding(u, tiles.outputs);
  WinogradTransformFilter(filter.data<float>(), tiles.outputs, u);
  const float* images = x.data<float>();
  const float* b = bias.defined() ? bias.data<float>() : nullptr;
  float* to = y.mutable_data<float>();
  uint8_t* winners = selection.mutable_data<uint8_t>();
  ParallelFor(x.dim(0), 1, [&](int64_t begin, int64_t end, int member) {
    Block block(workspaces + member * size);
    const Workspace space(tiles, block);
    ForTiles(tiles, begin, end, [&](int64_t first, int64_t count) {
      WinogradTransformInput(tiles, images, first, count, space.inputs,
                             space.patch);
      WinogradMultiply(space.inputs, u, count, tiles.inputs, space.outputs);
      WinogradPoolOutput(space.outputs, b, tiles.outputs, first, count, to,
                         winners);
    });
  });
}

void WinogradConvPoolBackward(const WinogradTiles& tiles, const Tensor& x,
                              const Tensor& filter, const Tensor& selection,
                              const Tensor& dy, Tensor& dx, Tensor& dfilter,
                              Tensor& dbias) {
  const int64_t members = CurrentTeamSize();
  const int64_t size = WorkspaceSize(tiles);
  Tensor memory = EmptyOnHost(
      Shape{members * size +
            WinogradPlanes{nullptr, tiles.outputs, PadChannels(tiles.inputs)}
                .size()});
  float* workspaces = memory.mutable_data<float>();
  Block rest(workspaces + members * size);
  const WinogradPlanes u = rest.TakePlanes(tiles.outputs, tiles.inputs);
  if (dx.defined()) {
    ClearPadding(u, tiles.inputs);
    WinogradTransformFilter(TransposeFilter(filter).data<float>(), tiles.inputs,
                            u);
  }
  const auto workspace = [&](int64_t member) {
    Block block(workspaces + member * size);
    return Workspace(tiles, block);
  };
  const Workspace total = workspace(0);
  // Members without images contribute zeros.
  for (int64_t member = 0; member < members; ++member) {
    std::fill_n(workspace(member).dfilter.data, total.sums, 0.0f);
  }
  const Backward backward{tiles,
                          x.data<float>(),
                          selection.data<uint8_t>(),
                          dy.data<float>(),
                          u,
                          dx.defined() ? dx.mutable_data<float>() : nullptr};
  ParallelFor(x.dim(0), 1, [&](int64_t begin, int64_t end, int member) {
    backward.Run(begin, end, workspace(member));
  });
  for (int64_t member = 1; member < members; ++member) {
    const float* other = workspace(member).dfilter.data;
    for (int64_t i = 0; i < total.sums; ++i) total.dfilter.data[i] += other[i];
  }
  WinogradFilterGradient(total.dfilter, tiles.outputs,
                         dfilter.mutable_data<float>());
  std::copy_n(total.dbias, tiles.outputs, dbias.mutable_data<float>());
}

}  // namespace lockstep::kernels_internal
