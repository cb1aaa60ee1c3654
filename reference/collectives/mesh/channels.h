// The channels of a MeshGroup's mesh.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_MESH_CHANNELS_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_MESH_CHANNELS_H_

namespace lockstep::collectives_internal {

enum Channel {
  kFirstCallChannel,  // calls, in turn on this one and the next
  kSecondCallChannel,
  kDescriptionChannel,
  kInputChannel,   // values to add up
  kResultChannel,  // sums
  kValueChannel,   // gathered or broadcast values
};

}  // namespace lockstep::collectives_internal

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_MESH_CHANNELS_H_
