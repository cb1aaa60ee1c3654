// A port for the chief of workers that one program starts on this machine.
#ifndef LOCKSTEP_REFERENCE_CLUSTER_FREE_PORT_H_
#define LOCKSTEP_REFERENCE_CLUSTER_FREE_PORT_H_

namespace lockstep {

// One of the loopback interface on which no process listens now. Another
// process may take it before the chief does: then the chief's start fails.
// Errors: Unavailable where there is none.
int FreePort();

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_CLUSTER_FREE_PORT_H_
