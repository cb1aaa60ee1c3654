// The NCCL library that this program was linked with.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_NCCL_NCCL_LIBRARY_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_NCCL_NCCL_LIBRARY_H_

#include "reference/collectives/nccl/nccl_api.h"

namespace lockstep {

// Lives as long as the process.
NcclApi& NcclLibrary();

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_NCCL_NCCL_LIBRARY_H_
