#include "reference/layers/initializers.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numbers>
#include <numeric>
#include <vector>

#include "reference/base/error.h"

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

// How many inputs an output of a weight depends on, and the reverse.
struct Fans {
  double inputs;
  double outputs;
};

Fans FansOf(const Shape& shape) {
  const int rank = shape.rank();
  if (rank == 0) return {1, 1};
  if (rank == 1) {
    return {static_cast<double>(shape[0]), static_cast<double>(shape[0])};
  }
  double positions = 1;
  for (int axis = 0; axis < rank - 2; ++axis) {
    positions *= static_cast<double>(shape[axis]);
  }
  return {positions * static_cast<double>(shape[rank - 2]),
          positions * static_cast<double>(shape[rank - 1])};
}

double GlorotVariance(const Fans& fans) {
  return 2 / std::max(2.0, fans.inputs + fans.outputs);
}
double HeVariance(const Fans& fans) { return 2 / std::max(1.0, fans.inputs); }
double LecunVariance(const Fans& fans) {
  return 1 / std::max(1.0, fans.inputs);
}

// A tensor of what `draw` returns for each element.
template <typename Draw>
Tensor Filled(const Shape& shape, const Draw& draw) {
  Tensor values = Tensor::Empty(shape, DType::kFloat32, Device::Host());
  float* out = values.mutable_data<float>();
  for (int64_t i = 0; i < values.num_elements(); ++i) out[i] = draw();
  return values.To(Device::Current());
}

Tensor DrawUniform(const Shape& shape, float low, float high, Random& random) {
  const float middle = (low + high) / 2, limit = (high - low) / 2;
  return Filled(
      shape, [&] { return middle + (2 * random.UniformFloat() - 1) * limit; });
}

// Standard normal: the method of Box and Muller.
double Normal(Random& random) {
  const double radius = std::sqrt(-2 * std::log(1.0 - random.UniformFloat()));
  return radius * std::cos(2 * std::numbers::pi * random.UniformFloat());
}

Tensor DrawTruncatedNormal(const Shape& shape, double mean, double stddev,
                           Random& random) {
  return Filled(shape, [&] {
    double value = Normal(random);
    while (!(std::abs(value) <= 2)) value = Normal(random);
    return static_cast<float>(mean + stddev * value);
  });
}

// The initializer that `draw` is, which gets a generator of its own if there is
// a seed.
template <typename Draw>
Initializer Seeded(std::optional<uint64_t> seed, Draw draw) {
  return [=](const Shape& shape, Random& random) {
    if (!seed) return draw(shape, random);
    Random own(*seed);
    return draw(shape, own);
  };
}

using Variance = double(const Fans& fans);

Initializer ScaledUniform(Variance* variance, std::optional<uint64_t> seed) {
  return Seeded(seed, [variance](const Shape& shape, Random& random) {
    const auto limit =
        static_cast<float>(std::sqrt(3 * variance(FansOf(shape))));
    return DrawUniform(shape, -limit, limit, random);
  });
}

// The deviation of a standard normal variable that is truncated at 2:
// sqrt(1 - 4 density(2) / probability of [-2, 2]).
constexpr double kTruncatedDeviation = 0.87962566103423978;

Initializer ScaledNormal(Variance* variance, std::optional<uint64_t> seed) {
  return Seeded(seed, [variance](const Shape& shape, Random& random) {
    const double stddev = std::sqrt(variance(FansOf(shape)));
    return DrawTruncatedNormal(shape, 0, stddev / kTruncatedDeviation, random);
  });
}

}  // namespace

Initializer RandomUniform(float low, float high, std::optional<uint64_t> seed) {
  return Seeded(seed, [=](const Shape& shape, Random& random) {
    return DrawUniform(shape, low, high, random);
  });
}

Initializer TruncatedNormal(float mean, float stddev,
                            std::optional<uint64_t> seed) {
  if (!(stddev >= 0)) {
    throw InvalidArgument("[TruncatedNormal] stddev must be at least 0, got {}",
                          stddev);
  }
  return Seeded(seed, [=](const Shape& shape, Random& random) {
    return DrawTruncatedNormal(shape, mean, stddev, random);
  });
}

Initializer GlorotNormal(std::optional<uint64_t> seed) {
  return ScaledNormal(GlorotVariance, seed);
}
Initializer GlorotUniform(std::optional<uint64_t> seed) {
  return ScaledUniform(GlorotVariance, seed);
}
Initializer HeNormal(std::optional<uint64_t> seed) {
  return ScaledNormal(HeVariance, seed);
}
Initializer HeUniform(std::optional<uint64_t> seed) {
  return ScaledUniform(HeVariance, seed);
}
Initializer LecunNormal(std::optional<uint64_t> seed) {
  return ScaledNormal(LecunVariance, seed);
}
Initializer LecunUniform(std::optional<uint64_t> seed) {
  return ScaledUniform(LecunVariance, seed);
}

namespace {

// `count` random orthonormal vectors of `length` >= count numbers, one after the
// other: normal vectors from which the projections on those before are
// subtracted (the method of Gram and Schmidt), twice because of rounding.
std::vector<double> Orthonormal(int64_t count, int64_t length, Random& random) {
  std::vector<double> vectors(count * length);
  for (int64_t i = 0; i < count; ++i) {
    double* own = &vectors[i * length];
    for (int64_t k = 0; k < length; ++k) own[k] = Normal(random);
    for (int64_t pass = 0; pass < 2; ++pass) {
      for (int64_t j = 0; j < i; ++j) {
        const double* other = &vectors[j * length];
        const double share = std::inner_product(own, own + length, other, 0.0);
        for (int64_t k = 0; k < length; ++k) own[k] -= share * other[k];
      }
    }
    const double norm =
        std::sqrt(std::inner_product(own, own + length, own, 0.0));
    for (int64_t k = 0; k < length; ++k) own[k] /= norm;
  }
  return vectors;
}

Tensor DrawOrthogonal(const Shape& shape, Random& random) {
  if (shape.rank() < 2) {
    throw InvalidArgument("[Orthogonal] two axes at least are needed, got {}",
                          ToString(shape));
  }
  const int64_t columns = shape[shape.rank() - 1];
  const int64_t rows = columns == 0 ? 0 : shape.num_elements() / columns;
  const bool tall = rows >= columns;
  const std::vector<double> vectors =
      Orthonormal(std::min(rows, columns), std::max(rows, columns), random);
  int64_t i = 0;
  return Filled(shape, [&] {
    const int64_t row = i / columns, column = i % columns;
    ++i;
    return static_cast<float>(tall ? vectors[column * rows + row]
                                   : vectors[row * columns + column]);
  });
}

}  // namespace

Initializer Orthogonal(std::optional<uint64_t> seed) {
  return Seeded(seed, DrawOrthogonal);
}

}  // namespace lockstep::initializers
