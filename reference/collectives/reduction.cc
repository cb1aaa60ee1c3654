#include "reference/collectives/reduction.h"

#include <utility>

#include "reference/base/thread_team.h"
#include "reference/collectives/sum_kernel.h"

namespace lockstep {
namespace {

// A thread's share below which another thread costs more than it saves.
constexpr int64_t kGrainUnits = (128 << 10) / 64;

// Results that no cache will keep are written past it: saves the read that an
// ordinary store of a line begins with.
constexpr int64_t kStreamBytes = 8 << 20;

std::byte* At(void* base, DType dtype, int64_t element) {
  return static_cast<std::byte*>(base) + element * DTypeSize(dtype);
}

}  // namespace

Reduction::Reduction(ReduceOp op,
                     std::vector<const std::vector<Tensor>*> inputs,
                     std::vector<std::vector<Tensor>*> outputs)
    : op_(op),
      inputs_(std::move(inputs)),
      outputs_(std::move(outputs)),
      pieces_(*inputs_[0]) {}

const Tensor& Reduction::SourceTensor(const Source& source,
                                      size_t tensor) const {
  return source.input ? (*inputs_[source.rank])[tensor]
                      : (*outputs_[source.rank])[tensor];
}

void Reduction::Sum(const std::vector<Source>& from, const std::vector<int>& to,
                    int divisor, int part, int parts) const {
  const int64_t first = pieces_.units() * part / parts;
  const int64_t last = pieces_.units() * (part + 1) / parts;
  const bool stream =
      pieces_.bytes() * static_cast<int64_t>(to.size()) >= kStreamBytes;
  ParallelFor(last - first, kGrainUnits, [&](int64_t b, int64_t e, int) {
    const auto sum_piece = [&](size_t tensor, int64_t element, int64_t count) {
      collectives_internal::SumArguments arguments;
      arguments.dtype = (*inputs_[0])[tensor].dtype();
      arguments.count = count;
      arguments.divisor = divisor;
      arguments.stream = stream;
      for (const Source& source : from) {
        void* data = const_cast<void*>(SourceTensor(source, tensor).raw_data());
        arguments.inputs.push_back(At(data, arguments.dtype, element));
      }
      for (int rank : to) {
        void* data = (*outputs_[rank])[tensor].mutable_raw_data();
        arguments.outputs.push_back(At(data, arguments.dtype, element));
      }
      SumInto(arguments);
    };
    pieces_.ForEach(first + b, first + e, sum_piece);
  });
}

}  // namespace lockstep
