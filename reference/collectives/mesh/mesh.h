// Links between every two of N ranks, each a process of its own, as a library
// for message passing offers them: what a MeshGroup is made of.
//
//   auto sent = mesh.Send(1, kChannel, hello, 5);        // on rank 0
//   auto came = mesh.Receive(0, kChannel, memory, 8);    // on rank 1
//   came->Wait(deadline);                                // "hello"
//
// Between two ranks the messages of one channel meet the receives of that
// channel in their order. A message that is longer than the memory it meets
// ends the process in some libraries: both sides must know.
//
// When one rank gives up, or is gone, all ranks learn of it: their waits, and
// all later calls of the mesh, throw one error, the first there was.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_MESH_MESH_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_MESH_MESH_H_

#include <chrono>
#include <cstddef>
#include <memory>
#include <string_view>

#include "reference/base/deadline.h"
#include "reference/base/error.h"

namespace lockstep::collectives_internal {

// A message under way. The memory it is read from or written to is held until
// it has been waited for; where the mesh has given up, as long as it may
// still be read or written.
class Transfer {
 public:
  virtual ~Transfer() = default;
  // Errors: DeadlineExceeded, which gives the mesh up; those of the mesh.
  virtual void Wait(Deadline deadline) = 0;
  // Whether it is done within `limit`; where it is not, the mesh must not be
  // used any more.
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

  // All ranks get `why`, PeerFailure where that is Cancelled, unless there was
  // an error before. From any thread; does not throw.
  virtual void GiveUp(const Error& why) = 0;
  // This rank has done a collective, so all others can: a rank that is still in
  // it finishes it before it learns that this rank gives up. All ranks count
  // alike.
  virtual void CollectiveDone() = 0;
  // Throws what the mesh was given up for; else nothing.
  virtual void Check() const = 0;
};

}  // namespace lockstep::collectives_internal

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_MESH_MESH_H_
