// How it works. The list of tensors is cut into one part per rank. Each rank
// adds up its own part, and needs the others' inputs for it:
//
//              part 0        part 1        part 2
//   rank 0     adds up       to rank 1     to rank 2
//   rank 1     to rank 0     adds up       to rank 2
//   rank 2     to rank 0     to rank 1     adds up
//
// In an all-reduce the sums then go the other way, each from its owner to all.
// The sum is in rank order on the owner, whatever order the inputs arrive in.
//
// Parts are large, so they are cut again into steps, and two steps are in
// flight:
//
//   step 0   | inputs travel | add up | sums travel |
//   step 1   | inputs travel                        | add up | sums travel |
//   step 2                                          | inputs travel        |
//
// Begin(s) posts the receives of step s and sends its inputs; End(s) waits for
// the inputs, adds them up and starts sending the sums. They are called in the
// order Begin(0), Begin(1), End(0), Begin(2), End(1), ... so two sets of
// buffers are enough: Begin(s + 2) comes after End(s) has read those of step s,
// and first waits for the sends and sums of step s. A part that is shorter than
// the longest one has empty last steps, for which nothing is sent.
#include "reference/collectives/mesh/mesh_reduction.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "reference/collectives/mesh/channels.h"
#include "reference/collectives/sum_kernel.h"

namespace lockstep::collectives_internal {
namespace {

constexpr int64_t kStepBytes = 1 << 20;
constexpr int64_t kStepUnits = kStepBytes / PieceList::kUnitBytes;

void WaitAll(Transfers& transfers, StallTimeout stall_timeout) {
  for (const auto& transfer : transfers) transfer->Wait(stall_timeout());
  transfers.clear();
}

class Steps {
 public:
  Steps(Mesh& mesh, const MeshSums& sums, StallTimeout stall_timeout)
      : mesh_(mesh),
        sums_(sums),
        stall_timeout_(stall_timeout),
        pieces_(sums.inputs),
        steps_(NumSteps()) {
    const int64_t units = std::min(kStepUnits, SizeOf(sums.parts[rank()]));
    for (auto& buffers : packed_) {
      for (int r = 0; r < mesh.size(); ++r) {
        buffers.push_back(r == rank() || units == 0
                              ? nullptr
                              : AllocateAligned(units * PieceList::kUnitBytes));
      }
    }
  }

  void Run() {
    for (int64_t step = 0; step <= steps_; ++step) {
      if (step < steps_) Begin(step);
      if (step > 0) End(step - 1);
    }
    for (Transfers& transfers : under_way_) WaitAll(transfers, stall_timeout_);
  }

 private:
  int rank() const { return mesh_.rank(); }
  static int64_t SizeOf(Units units) { return units.end - units.begin; }

  int64_t NumSteps() const {
    int64_t longest = 0;
    for (const Units& part : sums_.parts) {
      longest = std::max(longest, SizeOf(part));
    }
    return (longest + kStepUnits - 1) / kStepUnits;
  }
  // The units that rank `owner` adds up in a step.
  Units UnitsOf(int owner, int64_t step) const {
    const Units& part = sums_.parts[owner];
    const int64_t begin = part.begin + step * kStepUnits;
    return {std::min(begin, part.end), std::min(begin + kStepUnits, part.end)};
  }

  // Starts the transfers of inputs. First waits for the transfers of the step
  // before last.
  void Begin(int64_t step) {
    Transfers& sent = under_way_[step % 2];
    WaitAll(sent, stall_timeout_);
    for (int other = 0; other < mesh_.size(); ++other) {
      if (other == rank()) continue;
      inputs_[step % 2].push_back(
          ReceivePacked(mesh_, {other, kInputChannel}, sums_.inputs, pieces_,
                        UnitsOf(rank(), step), packed_[step % 2][other]));
      if (sums_.all_reduce) {
        sent.push_back(ReceiveUnits(mesh_, {other, kResultChannel},
                                    sums_.outputs, pieces_,
                                    UnitsOf(other, step)));
      }
    }
    for (int other = 0; other < mesh_.size(); ++other) {
      if (other == rank()) continue;
      sent.push_back(SendUnits(mesh_, {other, kInputChannel}, sums_.inputs,
                               pieces_, UnitsOf(other, step)));
    }
  }

  // Adds up this rank's part of the step and starts sending it.
  void End(int64_t step) {
    WaitAll(inputs_[step % 2], stall_timeout_);
    std::vector<const std::byte*> packed;
    for (const auto& bytes : packed_[step % 2]) packed.push_back(bytes.get());
    const Units units = UnitsOf(rank(), step);
    SumPacked(packed, sums_.inputs, pieces_, units, sums_.divisor,
              sums_.outputs);
    if (!sums_.all_reduce) return;
    for (int other = 0; other < mesh_.size(); ++other) {
      if (other == rank()) continue;
      under_way_[step % 2].push_back(SendUnits(mesh_, {other, kResultChannel},
                                               sums_.outputs, pieces_, units));
    }
  }

  Mesh& mesh_;
  const MeshSums& sums_;
  const StallTimeout stall_timeout_;
  const PieceList pieces_;
  const int64_t steps_;
  // Two steps are in flight at a time.
  std::array<std::vector<AlignedBytes>, 2> packed_;
  std::array<Transfers, 2> inputs_;
  std::array<Transfers, 2> under_way_;
};

}  // namespace

void SumPacked(const std::vector<const std::byte*>& packed,
               const TensorList& own, const PieceList& pieces, Units units,
               int divisor, TensorList& outputs) {
  size_t offset = 0;
  const auto sum = [&](size_t tensor, int64_t first, int64_t count) {
    const DType dtype = own[tensor].dtype();
    const size_t size = DTypeSize(dtype);
    SumArguments sum = {.dtype = dtype, .count = count, .divisor = divisor};
    for (const std::byte* theirs : packed) {
      const auto* mine = static_cast<const std::byte*>(own[tensor].raw_data());
      sum.inputs.push_back(theirs ? theirs + offset : mine + first * size);
    }
    sum.outputs = {static_cast<std::byte*>(outputs[tensor].mutable_raw_data()) +
                   first * size};
    SumInto(sum);
    offset += RoundUp(count * size);
  };
  pieces.ForEach(units.begin, units.end, sum);
}

void Reduce(Mesh& mesh, const MeshSums& sums, StallTimeout stall_timeout) {
  Steps(mesh, sums, stall_timeout).Run();
}

std::vector<Units> EqualParts(int64_t units, int ranks) {
  std::vector<Units> parts;
  for (int64_t r = 0; r < ranks; ++r) {
    parts.push_back({units * r / ranks, units * (r + 1) / ranks});
  }
  return parts;
}

}  // namespace lockstep::collectives_internal
