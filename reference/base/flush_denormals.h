// Denormal numbers count as zero on the calling thread, as operands and as
// results, while the scope lives; what was before comes back behind it.
//
//   const FlushDenormals flush;
//   volatile float tiny = 1e-38f;
//   tiny / 10;                      // 0, without the scope 1e-39
//
// Processors compute with denormal numbers up to a hundred times as slowly, and
// the moments of an optimizer become denormal as training goes on. TensorFlow
// flushes them on the threads that compute; so do replicas' threads.
#ifndef LOCKSTEP_REFERENCE_BASE_FLUSH_DENORMALS_H_
#define LOCKSTEP_REFERENCE_BASE_FLUSH_DENORMALS_H_

#include <cstdint>

namespace lockstep {

class FlushDenormals {
 public:
  // With `flush` false denormal numbers are computed with, as ever.
  explicit FlushDenormals(bool flush = true);
  ~FlushDenormals();
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

  // The calling thread flushes. Always false on a processor that cannot.
  static bool Active();

 private:
  uint64_t previous_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_FLUSH_DENORMALS_H_
