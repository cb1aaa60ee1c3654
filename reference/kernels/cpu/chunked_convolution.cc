#include "reference/kernels/cpu/chunked_convolution.h"

#include <algorithm>
#include <cstddef>
#include <memory>

#include "reference/base/thread_team.h"
#include "reference/kernels/cpu/member_rooms.h"
#include "reference/kernels/cpu/onednn_convolution.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::kernels_internal {
namespace {

constexpr int64_t kChunkFloats = 96 * 1024;  // of outputs: 384 KiB
constexpr int64_t kMostImages = 8;

using Pack = void (OneDnnConvolution::*)(const void*, float*) const;

// Image `image` of x, whatever its type.
const void* ImageAt(const ConvolutionShape& shape, const Tensor& x,
                    int64_t image) {
  return static_cast<const std::byte*>(x.raw_data()) +
         image * shape.x_image() * DTypeSize(x.dtype());
}

// The convolutions for whole chunks and for the single images of a rest, with
// the filter packed for each.
class Convolutions {
 public:
  Convolutions(const ConvolutionShape& shape, const Tensor& filter, Pack pack)
      : whole_(ChunkImages(shape), shape, filter, pack),
        single_(1, shape, filter, pack) {}

  struct Sized {
    Sized(int64_t count, const ConvolutionShape& shape, const Tensor& filter,
          Pack pack)
        : images(count), convolution(OneDnnConvolution::Get(shape, count)) {
      if (pack == nullptr) return;
      packed = EmptyOnHost(Shape{pack == &OneDnnConvolution::PackFilter
                                     ? convolution->packed_filter_size()
                                     : convolution->packed_for_data_size()});
      ((*convolution).*pack)(filter.raw_data(), packed.mutable_data<float>());
    }
    int64_t images;
    std::shared_ptr<const OneDnnConvolution> convolution;
    Tensor packed;
  };

  // The convolution for the next of `left` images.
  const Sized& For(int64_t left) const {
    return left >= whole_.images ? whole_ : single_;
  }
  int64_t scratch_size() const {
    return std::max(whole_.convolution->scratch_size(),
                    single_.convolution->scratch_size());
  }

 private:
  Sized whole_;
  Sized single_;
};

// Calls body(chunk) for the chunks of images [begin, end).
template <class Body>
void ForChunks(int64_t images, int64_t begin, int64_t end, int member,
               const Body& body) {
  while (begin < end) {
    const int64_t count = end - begin >= images ? images : 1;
    body(Chunk{begin, count, member});
    begin += count;
  }
}

}  // namespace

int64_t ChunkImages(const ConvolutionShape& shape) {
  return std::clamp<int64_t>(
      kChunkFloats / std::max<int64_t>(shape.y_image(), 1), 1, kMostImages);
}

void ConvolveChunks(const ConvolutionShape& shape, const Tensor& x,
                    const Tensor& filter, const Tensor& bias,
                    const PlaceOutputs& place, const FinishOutputs& finish) {
  if (x.dim(0) == 0 || shape.y_image() == 0) return;
  const Convolutions convolutions(shape, filter,
                                  &OneDnnConvolution::PackFilter);
  const Tensor b = bias.defined() ? bias : ZerosOnHost(Shape{shape.outputs});
  const MemberRooms scratch(convolutions.scratch_size());
  ParallelFor(x.dim(0), 1, [&](int64_t begin, int64_t end, int member) {
    ForChunks(ChunkImages(shape), begin, end, member, [&](const Chunk& chunk) {
      const auto& sized = convolutions.For(chunk.count);
      float* y = place(chunk);
      sized.convolution->Forward(ImageAt(shape, x, chunk.first),
                                 sized.packed.data<float>(), b.data<float>(), y,
                                 scratch.Of(member));
      finish(chunk, y);
    });
  });
}

void ConvolveChunksBackward(const ConvolutionShape& shape, const Tensor& x,
                            const Tensor& filter,
                            const ProvideGradient& provide, Tensor& dx,
                            Tensor& dfilter, Tensor& dbias) {
  MemberRooms sums(shape.filter_size() + shape.outputs);
  sums.Clear();
  if (x.dim(0) > 0 && shape.y_image() > 0) {
    const Convolutions convolutions(
        shape, filter,
        dx.defined() ? &OneDnnConvolution::PackFilterForData : nullptr);
    const MemberRooms scratch(convolutions.scratch_size());
    float* gradient = dx.defined() ? dx.mutable_data<float>() : nullptr;
    ParallelFor(x.dim(0), 1, [&](int64_t begin, int64_t end, int member) {
      const auto backward = [&](const Chunk& chunk) {
        const auto& sized = convolutions.For(chunk.count);
        const int64_t offset = chunk.first * shape.x_image();
        const void* dy = provide(chunk);
        sized.convolution->BackwardFilter(
            ImageAt(shape, x, chunk.first), dy, sums.Of(member),
            sums.Of(member) + shape.filter_size(), scratch.Of(member));
        if (gradient == nullptr) return;
        sized.convolution->BackwardData(dy, sized.packed.data<float>(),
                                        gradient + offset, scratch.Of(member));
      };
      ForChunks(ChunkImages(shape), begin, end, member, backward);
    });
  }
  sums.SumInOrder();
  std::copy_n(sums.Of(0), shape.filter_size(), dfilter.mutable_data<float>());
  std::copy_n(sums.Of(0) + shape.filter_size(), shape.outputs,
              dbias.mutable_data<float>());
}

}  // namespace lockstep::kernels_internal
