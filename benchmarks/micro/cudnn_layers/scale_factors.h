// What cuDNN's calls multiply their result with, and what was there before.
#ifndef LOCKSTEP_BENCHMARKS_MICRO_CUDNN_LAYERS_SCALE_FACTORS_H_
#define LOCKSTEP_BENCHMARKS_MICRO_CUDNN_LAYERS_SCALE_FACTORS_H_

namespace lockstep::benchmarks {

// The result as it is, and nothing added to it.
inline constexpr float kOne = 1;
inline constexpr float kZero = 0;

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_MICRO_CUDNN_LAYERS_SCALE_FACTORS_H_
