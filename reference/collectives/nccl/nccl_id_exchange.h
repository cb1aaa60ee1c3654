// How the processes of a communicator agree on its id.
//
//   InProcessNcclIdExchange exchange;          // one process
//   NcclUniqueId id = exchange.Exchange(/*root=*/true, make, deadline);
//
// One party, the one with rank 0, makes the id; all others receive it. Another
// way of getting it to other processes (a file, gRPC) is another class.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_NCCL_NCCL_ID_EXCHANGE_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_NCCL_NCCL_ID_EXCHANGE_H_

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>

#include "reference/collectives/nccl/nccl_api.h"

namespace lockstep {

class NcclIdExchange {
 public:
  using MakeId = std::function<NcclUniqueId()>;

  virtual ~NcclIdExchange() = default;

  // The id, once the root has made it with `make`. Called once by each party.
  // Errors: what `make` throws, on the root; Unavailable on the others when the
  // root failed; DeadlineExceeded when there is no id by then.
  virtual NcclUniqueId Exchange(bool root, const MakeId& make,
                                std::chrono::milliseconds deadline) = 0;
};

// Among threads of one process, or for a single party.
class InProcessNcclIdExchange : public NcclIdExchange {
 public:
  NcclUniqueId Exchange(bool root, const MakeId& make,
                        std::chrono::milliseconds deadline) override;

 private:
  NcclUniqueId Make(const MakeId& make);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<NcclUniqueId> id_;
  bool failed_ = false;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_NCCL_NCCL_ID_EXCHANGE_H_
