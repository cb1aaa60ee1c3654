// The kernel after matrix products as host code, on the threads of
// emulated_gpu.h.
#include "reference/kernels/cuda/bias_relu.cu"
