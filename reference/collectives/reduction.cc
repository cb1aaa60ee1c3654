#include "reference/collectives/reduction.h"

#include <utility>

#include "reference/base/threads.h"
#include "reference/collectives/gpu_collectives.h"
#include "reference/collectives/sum_kernel.h"

namespace lockstep {
namespace {

// With less work than this, another thread costs more than it saves.
constexpr int64_t kGrainUnits = (128 << 10) / 64;

// Results of this size or more do not stay in a cache. Streaming stores write
// them without first reading each line.
constexpr int64_t kStreamBytes = 8 << 20;

std::byte* At(void* base, DType dtype, int64_t element) {
  return static_cast<std::byte*>(base) + element * DTypeSize(dtype);
}

}  // namespace

Reduction::Reduction(ReduceOp op,
                     std::vector<const std::vector<Tensor>*> inputs,
                     std::vector<std::vector<Tensor>*> outputs,
                     DeviceStream stream)
    : op_(op),
      stream_(stream),
      inputs_(std::move(inputs)),
      outputs_(std::move(outputs)),
      pieces_(*inputs_[0]) {}

const std::vector<Tensor>& Reduction::SourceList(const Source& source) const {
  return source.input ? *inputs_[source.rank] : *outputs_[source.rank];
}

collectives_internal::SumArguments Reduction::PieceOf(
    const std::vector<Source>& from, const std::vector<int>& to, size_t tensor,
    int64_t element, int64_t count) const {
  collectives_internal::SumArguments piece;
  piece.dtype = (*inputs_[0])[tensor].dtype();
  piece.count = count;
  for (const Source& source : from) {
    void* data = const_cast<void*>(SourceList(source)[tensor].raw_data());
    piece.inputs.push_back(At(data, piece.dtype, element));
  }
  for (int rank : to) {
    void* data = (*outputs_[rank])[tensor].mutable_raw_data();
    piece.outputs.push_back(At(data, piece.dtype, element));
  }
  return piece;
}

void Reduction::Sum(const std::vector<Source>& from, const std::vector<int>& to,
                    int divisor, int part, int parts) const {
  const int64_t first = pieces_.units() * part / parts;
  const int64_t last = pieces_.units() * (part + 1) / parts;
  if (first == last) return;
  if (!(*outputs_[to[0]])[0].on_host()) {
    return QueueSum(from, to, divisor, part, first, last);
  }
  const bool stream =
      pieces_.bytes() * static_cast<int64_t>(to.size()) >= kStreamBytes;
  ParallelFor(last - first, kGrainUnits, [&](int64_t b, int64_t e, int) {
    const auto sum_piece = [&](size_t tensor, int64_t element, int64_t count) {
      auto piece = PieceOf(from, to, tensor, element, count);
      piece.divisor = divisor;
      piece.stream = stream;
      SumInto(piece);
    };
    pieces_.ForEach(first + b, first + e, sum_piece);
  });
}

void Reduction::QueueSum(const std::vector<Source>& from,
                         const std::vector<int>& to, int divisor, int part,
                         int64_t first, int64_t last) const {
  collectives_internal::GpuSum sum;
  sum.stream = stream_;
  for (const Source& source : from) {
    sum.from.push_back(&SourceList(source)[0].device());
  }
  for (int rank : to) sum.to.push_back(&(*outputs_[rank])[0].device());
  // Each part is the work of another GPU.
  sum.on = sum.to[part % sum.to.size()];
  pieces_.ForEach(
      first, last, [&](size_t tensor, int64_t element, int64_t count) {
        sum.pieces.push_back(PieceOf(from, to, tensor, element, count));
        sum.pieces.back().divisor = divisor;
      });
  collectives_internal::CurrentGpuCollectives("AllReduce").Sum(sum);
}

}  // namespace lockstep
