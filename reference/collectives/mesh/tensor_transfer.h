// Parts of lists of tensors, sent and received over a mesh.
//
//   const PieceList pieces(gradients);            // of rank 0 and of rank 1
//   SendUnits(mesh, {1, kInputs}, gradients, pieces, {0, 100})->Wait(deadline);
//   ReceiveUnits(mesh, {0, kInputs}, sums, pieces, {0, 100})->Wait(deadline);
//
// A list is cut into 64-byte units, as in PieceList. Units of one tensor are
// sent from and received into its memory; units of several tensors are packed,
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

// A part of one tensor, and its place in the packed units.
struct PackedPiece {
  size_t tensor;    // its place in the list
  std::byte* data;  // of the tensor
  size_t bytes;
  size_t offset;
};
// The pieces of `units`. Their data must not be written if the tensors must
// not.
std::vector<PackedPiece> PackedPieces(const TensorList& tensors,
                                      const PieceList& pieces, Units units);

// Copies units between tensors and packed memory. REQUIRES: room for all.
void PackUnits(const TensorList& tensors, const PieceList& pieces, Units units,
               std::byte* packed);
void UnpackUnits(const std::byte* packed, const PieceList& pieces, Units units,
                 TensorList& tensors);

// REQUIRES, here and below: nothing else writes the tensors' memory until the
// transfer has been waited for. Nothing is sent for units without bytes.
std::unique_ptr<Transfer> SendUnits(Mesh& mesh, Peer to,
                                    const TensorList& tensors,
                                    const PieceList& pieces, Units units);
std::unique_ptr<Transfer> ReceiveUnits(Mesh& mesh, Peer from,
                                       TensorList& tensors,
                                       const PieceList& pieces, Units units);
// Receives the units, packed, into the caller's memory.
std::unique_ptr<Transfer> ReceivePacked(Mesh& mesh, Peer from,
                                        const TensorList& like,
                                        const PieceList& pieces, Units units,
                                        const AlignedBytes& packed);

// Sends or receives a whole list, in several messages, which are appended to
// `transfers`.
using Transfers = std::vector<std::unique_ptr<Transfer>>;
void SendList(Mesh& mesh, Peer to, const TensorList& tensors,
              Transfers& transfers);
void ReceiveList(Mesh& mesh, Peer from, TensorList& tensors,
                 Transfers& transfers);

// Converts strings to tensors of bytes, which can be sent; leaves other tensors
// as they are. Decoded is the inverse, for tensors with these `specs`.
TensorList Encoded(const TensorList& values);
std::vector<SentSpec> SpecsOf(const TensorList& values,
                              const TensorList& encoded);
// Memory for encoded tensors.
TensorList EmptyEncoded(const std::vector<SentSpec>& specs);
TensorList Decoded(const TensorList& encoded,
                   const std::vector<SentSpec>& specs);

}  // namespace lockstep::collectives_internal

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_MESH_TENSOR_TRANSFER_H_
