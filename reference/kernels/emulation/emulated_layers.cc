// The kernels of layers as host code, on the threads of emulated_gpu.h.
#include "reference/kernels/normalization/cuda/batch_norm.cu"
#include "reference/kernels/pooling/cuda/pool2d.cu"
