// A port for the chief, for a program that starts its workers on this machine.
#ifndef LOCKSTEP_REFERENCE_CLUSTER_FREE_PORT_H_
#define LOCKSTEP_REFERENCE_CLUSTER_FREE_PORT_H_

namespace lockstep {

// A port of the loopback interface on which no process listens now. If another
// process takes it before the chief does, the chief fails to start. Errors:
// Unavailable if there is none.
int FreePort();

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_CLUSTER_FREE_PORT_H_
