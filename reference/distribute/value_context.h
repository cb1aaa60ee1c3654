// For which replica DistributeValuesFromFunction asks a value.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_VALUE_CONTEXT_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_VALUE_CONTEXT_H_

namespace lockstep {

struct ValueContext {
  int replica_id_in_sync_group = 0;
  int num_replicas_in_sync = 1;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_VALUE_CONTEXT_H_
