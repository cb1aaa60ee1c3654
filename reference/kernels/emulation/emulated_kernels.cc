// Our kernels as host code, on the threads of emulated_gpu.h.
#include "reference/kernels/elementwise/cuda/elementwise.cu"
#include "reference/kernels/movement/cuda/movement.cu"
#include "reference/kernels/normalization/cuda/softmax.cu"
#include "reference/kernels/optimizer/cuda/optimizer_update.cu"
#include "reference/kernels/optimizer/cuda/training_step.cu"
#include "reference/kernels/reduction/cuda/reduce.cu"
#include "reference/kernels/reduction/cuda/weighted_sums.cu"
