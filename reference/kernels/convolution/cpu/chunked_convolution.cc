#include "reference/kernels/convolution/cpu/chunked_convolution.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <map>
#include <memory>

#include "reference/base/threads.h"
#include "reference/kernels/convolution/cpu/onednn_convolution.h"
#include "reference/kernels/convolution/cpu/thread_workspace.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::kernels_internal {
namespace {

constexpr int64_t kChunkFloats = 96 * 1024;  // of outputs: 384 KiB
constexpr int64_t kMostImages = 8;

using Pack = void (OneDnnConvolution::*)(const void*, float*) const;

// The address of image `image` of x.
const void* ImageAt(const ConvolutionShape& shape, const Tensor& x,
                    int64_t image) {
  return static_cast<const std::byte*>(x.raw_data()) +
         image * shape.x_image() * DTypeSize(x.dtype());
}

// The number of images of the next convolution: a power of two up to `left` and
// `most`, so that a few convolutions suffice for batches of any size.
int64_t ChunkOf(int64_t left, int64_t most) {
  return static_cast<int64_t>(
      std::bit_floor(static_cast<uint64_t>(std::min(left, most))));
}

// Calls body(chunk) for each chunk of the images [begin, end).
template <class Body>
void ForChunks(int64_t most, int64_t begin, int64_t end, int member,
               const Body& body) {
  while (begin < end) {
    const int64_t count = ChunkOf(end - begin, most);
    body(Chunk{begin, count, member});
    begin += count;
  }
}

// The convolutions for all chunks of `images`, split over the team, with the
// filter packed for each.
class Convolutions {
 public:
  Convolutions(const ConvolutionShape& shape, int64_t images, DType y_type,
               const Tensor& filter, Pack pack) {
    const int64_t most = ChunkImages(shape);
    const int64_t share = images / CurrentTeamSize();
    // Each member has this many images, or one more.
    for (const int64_t range : {share, share + 1}) {
      ForChunks(most, 0, std::min(range, images), 0, [&](const Chunk& chunk) {
        Sized& sized = sizes_[chunk.count];
        if (sized.convolution != nullptr) return;
        sized.convolution = OneDnnConvolution::Get(shape, chunk.count, y_type);
        if (pack != nullptr) sized.packed = Packed(sized, filter, pack);
      });
    }
  }

  struct Sized {
    std::shared_ptr<const OneDnnConvolution> convolution;
    Tensor packed;
  };

  const Sized& For(const Chunk& chunk) const { return sizes_.at(chunk.count); }
  int64_t scratch_size() const {
    int64_t size = 0;
    for (const auto& [images, sized] : sizes_) {
      size = std::max(size, sized.convolution->scratch_size());
    }
    return size;
  }

 private:
  Tensor Packed(const Sized& wanted, const Tensor& filter, Pack pack) const {
    const OneDnnConvolution& convolution = *wanted.convolution;
    for (const auto& [images, sized] : sizes_) {
      if (sized.packed.defined() && convolution.PacksLike(*sized.convolution)) {
        return sized.packed;
      }
    }
    Tensor packed =
        EmptyOnHost(Shape{pack == &OneDnnConvolution::PackFilter
                              ? convolution.packed_filter_size()
                              : convolution.packed_for_data_size()});
    (convolution.*pack)(filter.raw_data(), packed.mutable_data<float>());
    return packed;
  }

  std::map<int64_t, Sized> sizes_;
};

// The gradients of filter and bias. The first member adds to the result, the
// others to buffers of their own.
class FilterSums {
 public:
  FilterSums(const ConvolutionShape& shape, int64_t images, Tensor& dfilter,
             Tensor& dbias)
      : filter_size_(shape.filter_size()),
        outputs_(shape.outputs),
        members_(std::min<int64_t>(images, CurrentTeamSize())),
        dfilter_(dfilter.mutable_data<float>()),
        dbias_(dbias.mutable_data<float>()),
        others_(EmptyOnHost(Shape{members_ - 1, filter_size_ + outputs_})),
        others_data_(others_.mutable_data<float>()) {}

  float* Filter(int member) const {
    return member == 0
               ? dfilter_
               : others_data_ + (member - 1) * (filter_size_ + outputs_);
  }
  float* Bias(int member) const {
    return member == 0 ? dbias_ : Filter(member) + filter_size_;
  }

  // Adds the other members' sums to the first member's, in member order.
  void Finish() const {
    constexpr int64_t kGrain = 16384;  // elements worth waking a thread for
    ParallelFor(filter_size_, kGrain, [&](int64_t begin, int64_t end, int) {
      AddOthers(&FilterSums::Filter, begin, end);
    });
    AddOthers(&FilterSums::Bias, 0, outputs_);
  }

 private:
  void AddOthers(float* (FilterSums::*part)(int) const, int64_t begin,
                 int64_t end) const {
    float* sum = (this->*part)(0);
    for (int member = 1; member < members_; ++member) {
      const float* other = (this->*part)(member);
      for (int64_t i = begin; i < end; ++i) sum[i] += other[i];
    }
  }

  int64_t filter_size_, outputs_;
  int64_t members_;  // that have images
  float* dfilter_;
  float* dbias_;
  Tensor others_;
  float* others_data_;
};

}  // namespace

int64_t ChunkImages(const ConvolutionShape& shape) {
  return std::clamp<int64_t>(
      kChunkFloats / std::max<int64_t>(shape.y_image(), 1), 1, kMostImages);
}

void ConvolveChunks(const ConvolutionShape& shape, DType y_type,
                    const Tensor& x, const Tensor& filter, const Tensor& bias,
                    const PlaceOutputs& place, const FinishOutputs& finish) {
  const int64_t images = x.dim(0);
  if (images == 0 || shape.y_image() == 0) return;
  const Convolutions convolutions(shape, images, y_type, filter,
                                  &OneDnnConvolution::PackFilter);
  const Tensor b = bias.defined() ? bias : ZerosOnHost(Shape{shape.outputs});
  const ThreadWorkspace scratch(convolutions.scratch_size());
  ParallelFor(images, 1, [&](int64_t begin, int64_t end, int member) {
    ForChunks(ChunkImages(shape), begin, end, member, [&](const Chunk& chunk) {
      const auto& sized = convolutions.For(chunk);
      void* y = place(chunk);
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
  const int64_t images = x.dim(0);
  if (images == 0 || shape.y_image() == 0) {
    for (Tensor* gradient : {&dx, &dfilter, &dbias}) {
      if (!gradient->defined()) continue;
      *gradient = ZerosOnHost(gradient->shape(), gradient->dtype());
    }
    return;
  }
  const Convolutions convolutions(
      shape, images, DType::kFloat32, filter,
      dx.defined() ? &OneDnnConvolution::PackFilterForData : nullptr);
  const ThreadWorkspace scratch(convolutions.scratch_size());
  const FilterSums sums(shape, images, dfilter, dbias);
  auto* gradient =
      dx.defined() ? static_cast<std::byte*>(dx.mutable_raw_data()) : nullptr;
  ParallelFor(images, 1, [&](int64_t begin, int64_t end, int member) {
    ForChunks(ChunkImages(shape), begin, end, member, [&](const Chunk& chunk) {
      const auto& sized = convolutions.For(chunk);
      const void* dy = provide(chunk);
      sized.convolution->BackwardFilter(
          ImageAt(shape, x, chunk.first), dy, /*add=*/chunk.first != begin,
          sums.Filter(member), sums.Bias(member), scratch.Of(member));
      if (gradient == nullptr) return;
      sized.convolution->BackwardData(
          dy, sized.packed.data<float>(),
          gradient + chunk.first * shape.x_image() * DTypeSize(shape.dtype),
          scratch.Of(member));
    });
  });
  sums.Finish();
}

}  // namespace lockstep::kernels_internal
