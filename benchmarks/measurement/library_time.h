// What the calls of libraries in a training step take, each timed alone.
//
//   LibraryTime alone = TimeLibraryCalls(device, calls);
//   alone.milliseconds;                 // of all alone.calls
#ifndef LOCKSTEP_BENCHMARKS_MEASUREMENT_LIBRARY_TIME_H_
#define LOCKSTEP_BENCHMARKS_MEASUREMENT_LIBRARY_TIME_H_

#include "benchmarks/measurement/training_result.h"
#include "reference/device/device.h"
#include "reference/kernels/gpu_libraries.h"

namespace lockstep::benchmarks {

// Each call is run many times in a row as one CUDA graph, so that the host's
// time does not count; the result is the median of a few such runs, once for
// each time that the call is in the list. Each is logged with its time. Errors:
// ResourceExhausted for the memory of one call, Internal. REQUIRES: a GPU.
LibraryTime TimeLibraryCalls(Device& device, const LibraryCalls& calls);

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_MEASUREMENT_LIBRARY_TIME_H_
