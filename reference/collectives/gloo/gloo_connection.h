// Gloo's contexts, whose addresses travel over a control plane.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_GLOO_GLOO_CONNECTION_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_GLOO_GLOO_CONNECTION_H_

#include <gloo/context.h>

#include <memory>

#include "reference/cluster/control/control_plane.h"
#include "reference/collectives/gloo/gloo_group.h"

namespace lockstep::collectives_internal {

// Every worker is connected with every other in both, and messages between two
// of them have a connection for each way. With one for both Gloo's thread looks
// in vain for what it could read, thousands of times a step, while another
// thread writes to it; and nothing is read meanwhile.
struct GlooContexts {
  std::shared_ptr<gloo::Context> upward;    // to higher ranks
  std::shared_ptr<gloo::Context> downward;  // to lower ones

  int rank() const { return upward->rank; }
  int size() const { return upward->size; }
  // That of messages between these ranks.
  gloo::Context& Way(int from, int to) const {
    return from < to ? *upward : *downward;
  }
};

// Errors: those of MakeGlooGroup.
GlooContexts ConnectGloo(ControlPlane& control, const GlooOptions& options);

}  // namespace lockstep::collectives_internal

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_GLOO_GLOO_CONNECTION_H_
