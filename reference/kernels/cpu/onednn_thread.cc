#include "reference/kernels/cpu/onednn_thread.h"

// OpenMP's two functions are declared here: omp.h belongs to one compiler, the
// names to the standard.
extern "C" {
void omp_set_num_threads(int);
int omp_get_max_threads(void);
}

namespace lockstep::kernels_internal {

OneDnnThread::OneDnnThread() : previous_width_(omp_get_max_threads()) {
  if (previous_width_ != 1) omp_set_num_threads(1);
}

OneDnnThread::~OneDnnThread() {
  if (previous_width_ != 1) omp_set_num_threads(previous_width_);
}

}  // namespace lockstep::kernels_internal
