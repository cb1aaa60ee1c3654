// Point-to-point messages between N ranks, each a process, as message passing
// libraries provide them. MeshGroup implements collectives with them.
//
//   auto sent = mesh.Send(1, kChannel, hello, 5);        // on rank 0
//   auto came = mesh.Receive(0, kChannel, memory, 8);    // on rank 1
//   came->Wait(deadline);                                // "hello"
//
// Between two ranks the messages of a channel match the receives of that
// channel in order. Both sides must know the size: in some libraries a message
// that is longer than the memory of its receive ends the process.
//
// When a rank gives up or dies, all ranks are notified: their waits, and all
// later calls of the mesh, throw one error, the first.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_MESH_MESH_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_MESH_MESH_H_

#include <chrono>
#include <cstddef>
#include <memory>
#include <string_view>

#include "reference/base/deadline.h"
#include "reference/base/error.h"

namespace lockstep::collectives_internal {

// A message in transit. Keeps its memory until Wait has returned; if the mesh
// has failed, as long as the library may still use the memory.
class Transfer {
 public:
  virtual ~Transfer() = default;
  // Errors: DeadlineExceeded, which also fails the mesh; those of the mesh.
  virtual void Wait(Deadline deadline) = 0;
  // Whether it is done within `limit`. If not, the mesh must not be used any
  // more.
  virtual bool WaitUpTo(std::chrono::milliseconds limit) = 0;
};

class Mesh {
 public:
  virtual ~Mesh() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  // The name of an all-reduce over it: "GlooAllReduce".
  virtual std::string_view algorithm() const = 0;

  // Channels are small numbers, 0 to 15. Errors: those of the mesh.
  virtual std::unique_ptr<Transfer> Send(int to, int channel,
                                         std::shared_ptr<const std::byte> data,
                                         size_t bytes) = 0;
  virtual std::unique_ptr<Transfer> Receive(int from, int channel,
                                            std::shared_ptr<std::byte> memory,
                                            size_t capacity) = 0;

  // All ranks get `why`, or PeerFailure if that is Cancelled, unless there is
  // an error already. Any thread may call it. Does not throw.
  virtual void GiveUp(const Error& why) = 0;
  // This rank has completed a collective, so all others can: a rank that is
  // still in it completes it before it is notified that this rank gives up. All
  // ranks count the same collectives.
  virtual void CollectiveDone() = 0;
  // Throws the mesh's error, if there is one.
  virtual void Check() const = 0;
};

}  // namespace lockstep::collectives_internal

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_MESH_MESH_H_
