// Which messages of a MeshGroup go by which channel of its mesh.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_MESH_CHANNELS_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_MESH_CHANNELS_H_

namespace lockstep::collectives_internal {

enum Channel {
  kFirstCallChannel,  // calls, in turns by this one and the next
  kSecondCallChannel,
  kDescriptionChannel,
  kInputChannel,   // what is to be added up
  kResultChannel,  // sums
  kValueChannel,   // what is gathered or broadcast
};

}  // namespace lockstep::collectives_internal

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_MESH_CHANNELS_H_
