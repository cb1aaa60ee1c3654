#include "reference/layers/initializers.h"

#include <cmath>
#include <mutex>

namespace lockstep {
namespace {

struct SeedState {
  std::mutex mutex;
  uint64_t seed = 0;
  uint64_t next_stream = 0;
};

SeedState& State() {
  static SeedState* state = new SeedState;  // outlives static destructors
  return *state;
}

}  // namespace

void SetRandomSeed(uint64_t seed) {
  SeedState& state = State();
  std::lock_guard lock(state.mutex);
  state.seed = seed;
  state.next_stream = 0;
}

Random NextRandomStream() {
  SeedState& state = State();
  std::lock_guard lock(state.mutex);
  return Random(state.seed, state.next_stream++);
}

}  // namespace lockstep

namespace lockstep::initializers {

Initializer Constant(float value) {
  return [value](const Shape& shape, Random&) {
    return Tensor::Full(shape, value, Device::Current());
  };
}

Initializer Zeros() { return Constant(0); }

Initializer Ones() { return Constant(1); }

namespace {

double Limit(const Shape& shape) {
  const int rank = shape.rank();
  if (rank == 0) return std::sqrt(3.0);  // one input, one output
  if (rank == 1) return std::sqrt(6.0 / (2.0 * shape[0]));
  double positions = 1;
  for (int axis = 0; axis < rank - 2; ++axis) positions *= shape[axis];
  return std::sqrt(6.0 / (positions * (shape[rank - 2] + shape[rank - 1])));
}

Tensor Draw(const Shape& shape, float low, float high, Random& random) {
  Tensor values = Tensor::Empty(shape, DType::kFloat32, Device::Host());
  float* out = values.mutable_data<float>();
  const float middle = (low + high) / 2, limit = (high - low) / 2;
  for (int64_t i = 0; i < values.num_elements(); ++i) {
    out[i] = middle + (2 * random.UniformFloat() - 1) * limit;
  }
  return values.To(Device::Current());
}

}  // namespace

Initializer RandomUniform(float low, float high, std::optional<uint64_t> seed) {
  return [=](const Shape& shape, Random& random) {
    if (!seed) return Draw(shape, low, high, random);
    Random own(*seed);
    return Draw(shape, low, high, own);
  };
}

Initializer GlorotUniform(std::optional<uint64_t> seed) {
  return [seed](const Shape& shape, Random& random) {
    const auto limit = static_cast<float>(Limit(shape));
    return RandomUniform(-limit, limit, seed)(shape, random);
  };
}

}  // namespace lockstep::initializers
