// The kernels of layers as host code, on the threads of emulated_gpu.h.
#include "reference/kernels/cuda/avg_pool.cu"
#include "reference/kernels/cuda/batch_norm_kernels.cu"
#include "reference/kernels/cuda/max_pool.cu"
