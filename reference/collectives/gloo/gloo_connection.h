// Gloo's contexts, whose addresses travel over a control plane.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_GLOO_GLOO_CONNECTION_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_GLOO_GLOO_CONNECTION_H_

#include <gloo/context.h>

#include <memory>

#include "reference/cluster/control/control_plane.h"
#include "reference/collectives/gloo/gloo_group.h"

namespace lockstep::collectives_internal {

// A context in which every worker is connected with every other. Errors: those
// of MakeGlooGroup.
std::shared_ptr<gloo::Context> ConnectGloo(ControlPlane& control,
                                           const GlooOptions& options);

}  // namespace lockstep::collectives_internal

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_GLOO_GLOO_CONNECTION_H_
