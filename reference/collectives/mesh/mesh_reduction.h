// The sums of an all-reduce and of a reduce-scatter over a mesh.
//
// Rank r owns a part of the list: it gets that part of all ranks' inputs, adds
// them in rank order, 0 first, and, in an all-reduce, sends the result to all.
// So the order of additions and the bits are those of ranks in one process,
// 16-bit floats are rounded once, and all ranks get the same bits. A part is
// sent in steps of kStepBytes: one is added up while the next is in transit.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_MESH_MESH_REDUCTION_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_MESH_MESH_REDUCTION_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reference/collectives/mesh/agreement.h"
#include "reference/collectives/mesh/mesh.h"
#include "reference/collectives/mesh/tensor_transfer.h"

namespace lockstep::collectives_internal {

// outputs = the sums over `units` of all ranks' inputs, divided by `divisor`.
// packed[r] has rank r's; nullptr means that they are in `own`.
void SumPacked(const std::vector<const std::byte*>& packed,
               const TensorList& own, const PieceList& pieces, Units units,
               int divisor, TensorList& outputs);

struct MeshSums {
  const TensorList& inputs;  // the same dtypes and shapes on all ranks
  // As inputs. A reduce-scatter uses only those of this rank's part.
  TensorList& outputs;
  std::vector<Units> parts;  // entry r is rank r's
  int divisor = 1;
  bool all_reduce = true;  // else a reduce-scatter
};

// REQUIRES: all ranks call it, with matching arguments. Errors: those of the
// mesh.
void Reduce(Mesh& mesh, const MeshSums& sums, StallTimeout stall_timeout);

// Equal parts of a list, for an all-reduce.
std::vector<Units> EqualParts(int64_t units, int ranks);

}  // namespace lockstep::collectives_internal

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_MESH_MESH_REDUCTION_H_
