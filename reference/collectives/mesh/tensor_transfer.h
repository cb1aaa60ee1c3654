// Parts of lists of tensors, sent and received over a mesh.
//
//   const PieceList pieces(gradients);            // of rank 0 and of rank 1
//   SendUnits(mesh, {1, kInputs}, gradients, pieces, {0, 100})->Wait(deadline);
//   ReceiveUnits(mesh, {0, kInputs}, sums, pieces, {0, 100})->Wait(deadline);
//
// A list is cut by 64-byte units, as PieceList lays it end to end. What lies
// in one tensor goes from and to its memory; what lies in several is packed,
// each piece at the beginning of a unit.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_MESH_TENSOR_TRANSFER_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_MESH_TENSOR_TRANSFER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "reference/collectives/group.h"
#include "reference/collectives/mesh/call_message.h"
#include "reference/collectives/mesh/mesh.h"
#include "reference/collectives/piece_list.h"

namespace lockstep::collectives_internal {

struct Units {
  int64_t begin = 0;
  int64_t end = 0;
};

// The rank at the other end, and the channel.
struct Peer {
  int rank = 0;
  int channel = 0;
};

// A part of one tensor, and where it lies in the units packed.
struct PackedPiece {
  size_t tensor;    // its place in the list
  std::byte* data;  // of the tensor
  size_t bytes;
  size_t offset;
};
// Of tensors that are only read, where the data are only read.
std::vector<PackedPiece> PackedPieces(const TensorList& tensors,
                                      const PieceList& pieces, Units units);

// Copies units between tensors and packed memory. REQUIRES: room for all.
void PackUnits(const TensorList& tensors, const PieceList& pieces, Units units,
               std::byte* packed);
void UnpackUnits(const std::byte* packed, const PieceList& pieces, Units units,
                 TensorList& tensors);

// REQUIRES, of all: the tensors' memory is not written otherwise until they are
// waited for. Nothing travels for units that hold no bytes.
std::unique_ptr<Transfer> SendUnits(Mesh& mesh, Peer to,
                                    const TensorList& tensors,
                                    const PieceList& pieces, Units units);
std::unique_ptr<Transfer> ReceiveUnits(Mesh& mesh, Peer from,
                                       TensorList& tensors,
                                       const PieceList& pieces, Units units);
// The same units into memory of the caller's, packed.
std::unique_ptr<Transfer> ReceivePacked(Mesh& mesh, Peer from,
                                        const TensorList& like,
                                        const PieceList& pieces, Units units,
                                        const AlignedBytes& packed);

// A whole list, in several messages; what is under way comes to `transfers`.
using Transfers = std::vector<std::unique_ptr<Transfer>>;
void SendList(Mesh& mesh, Peer to, const TensorList& tensors,
              Transfers& transfers);
void ReceiveList(Mesh& mesh, Peer from, TensorList& tensors,
                 Transfers& transfers);

// The tensors as bytes that can be sent as they are, of strings a tensor of
// bytes; and back, where `specs` says what they are.
TensorList Encoded(const TensorList& values);
std::vector<SentSpec> SpecsOf(const TensorList& values,
                              const TensorList& encoded);
// Memory for them.
TensorList EmptyEncoded(const std::vector<SentSpec>& specs);
TensorList Decoded(const TensorList& encoded,
                   const std::vector<SentSpec>& specs);

}  // namespace lockstep::collectives_internal

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_MESH_TENSOR_TRANSFER_H_
