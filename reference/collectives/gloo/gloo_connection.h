// Connects Gloo contexts; addresses are exchanged over a control plane.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_GLOO_GLOO_CONNECTION_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_GLOO_GLOO_CONNECTION_H_

#include <gloo/context.h>

#include <memory>

#include "reference/cluster/control/control_plane.h"
#include "reference/collectives/gloo/gloo_group.h"

namespace lockstep::collectives_internal {

// Both contexts connect every worker with every other, so messages between two
// workers have one connection per direction. With one connection for both,
// Gloo's thread would spin, without reading anything, while another thread
// writes to the connection.
struct GlooContexts {
  std::shared_ptr<gloo::Context> upward;    // to higher ranks
  std::shared_ptr<gloo::Context> downward;  // to lower ones

  int rank() const { return upward->rank; }
  int size() const { return upward->size; }
  // The context of messages between these ranks.
  gloo::Context& Between(int from, int to) const {
    return from < to ? *upward : *downward;
  }
};

// Errors: those of MakeGlooGroup.
GlooContexts ConnectGloo(ControlPlane& control, const GlooOptions& options);

}  // namespace lockstep::collectives_internal

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_GLOO_GLOO_CONNECTION_H_
