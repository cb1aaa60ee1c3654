// Operations on elements that have no gradient: comparisons, choices, reductions and
// sizes. They run on the host; float32 results are moved to the current device.
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>

#include "reference/export/saved_model/loading/operations/host_values.h"
#include "reference/export/saved_model/loading/operations/operation.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::export_internal {
namespace {

// The shape of broadcast tensors.
Shape BroadcastShape(Tensors inputs) {
  int rank = 0;
  for (const Tensor& input : inputs) rank = std::max(rank, input.rank());
  std::vector<int64_t> dims(static_cast<size_t>(rank), 1);
  for (const Tensor& input : inputs) {
    for (int i = 1; i <= input.rank(); ++i) {
      int64_t& dim = dims[static_cast<size_t>(rank - i)];
      const int64_t own = input.dim(input.rank() - i);
      if (own != 1 && dim != 1 && own != dim) {
        throw InvalidArgument("{} does not broadcast to {}", Describe(input),
                              ToString(Shape(dims)));
      }
      if (own != 1) dim = own;
    }
  }
  return Shape(dims);
}

double BroadcastBound(Tensors inputs) {
  double elements = 1;
  const Shape shape = BroadcastShape(inputs);
  for (const int64_t dim : shape.dims()) elements *= static_cast<double>(dim);
  // The result, and an index for each input.
  return elements * 8 * static_cast<double>(inputs.size() + 4);
}

// Which element of `from` is at each place of the broadcast shape.
std::vector<int64_t> Places(const Shape& from, const Shape& to) {
  std::vector<int64_t> places = {0};
  const int missing = to.rank() - from.rank();
  for (int axis = 0; axis < to.rank(); ++axis) {
    const int64_t own = axis < missing ? 1 : from[axis - missing];
    std::vector<int64_t> next;
    next.reserve(places.size() * static_cast<size_t>(to[axis]));
    for (const int64_t place : places) {
      for (int64_t i = 0; i < to[axis]; ++i) {
        next.push_back(place * own + (own == 1 ? 0 : i));
      }
    }
    places = std::move(next);
  }
  return places;
}

template <typename Result, typename T, typename Function>
Tensor Elementwise(const Tensor& a, const Tensor& b, const Function& function) {
  const std::array<Tensor, 2> both = {a.ToHost(), b.ToHost()};
  const Shape shape = BroadcastShape(both);
  Tensor result = EmptyOnHost(shape, kDTypeOf<Result>);
  const auto of_a = Places(a.shape(), shape), of_b = Places(b.shape(), shape);
  Result* out = result.mutable_data<Result>();
  for (size_t i = 0; i < of_a.size(); ++i) {
    out[i] = function(both[0].data<T>()[of_a[i]], both[1].data<T>()[of_b[i]]);
  }
  return InPlace(result);
}

// Two tensors of one type, for which `Types` are allowed.
template <typename Function>
OperationMaker Comparison(Function function, bool words) {
  return [=](const NodeAttributes& attributes) -> Operation {
    attributes.ExpectInputs(2);
    if (words) {
      attributes.AnyType("T");
    } else {
      attributes.Type("T");
    }
    return {[=](Tensors inputs) {
              CheckSameType(inputs[0], inputs[1]);
              return ForType(inputs[0].dtype(), [&]<typename T>() {
                return Elementwise<bool, T>(inputs[0], inputs[1], function);
              });
            },
            BroadcastBound};
  };
}

template <typename Function>
OperationMaker OfNumbers(Function function) {
  return [=](const NodeAttributes& attributes) -> Operation {
    attributes.ExpectInputs(2);
    attributes.Type("T");
    return {[=](Tensors inputs) {
              CheckSameType(inputs[0], inputs[1]);
              return ForNumber(inputs[0].dtype(), [&]<typename T>() {
                return Elementwise<T, T>(inputs[0], inputs[1], function);
              });
            },
            BroadcastBound};
  };
}

Operation LogicalAnd(const NodeAttributes& attributes) {
  attributes.ExpectInputs(2);
  return {[](Tensors inputs) {
            return Elementwise<bool, bool>(
                inputs[0], inputs[1], [](bool a, bool b) { return a && b; });
          },
          BroadcastBound};
}

Operation FloorMod(const NodeAttributes& attributes) {
  attributes.ExpectInputs(2);
  if (!IsInteger(attributes.Type("T"))) {
    throw Unimplemented("{}: only int32 and int64 are supported",
                        attributes.place());
  }
  return {[](Tensors inputs) {
            const Tensor a = inputs[0].ToHost().Cast(DType::kInt64);
            const Tensor b = inputs[1].ToHost().Cast(DType::kInt64);
            return Elementwise<int64_t, int64_t>(
                       a, b,
                       [](int64_t x, int64_t y) {
                         if (y == 0) throw InvalidArgument("a division by 0");
                         if (y == -1) return int64_t{0};
                         const int64_t rest = x % y;
                         return rest != 0 && (rest < 0) != (y < 0) ? rest + y
                                                                   : rest;
                       })
                .Cast(inputs[0].dtype());
          },
          BroadcastBound};
}

template <typename T>
Tensor Choose(Tensors inputs) {
  const std::array<Tensor, 3> all = {inputs[0], inputs[1].ToHost(),
                                     inputs[2].ToHost()};
  const Shape shape = BroadcastShape(all);
  Tensor result = EmptyOnHost(shape, kDTypeOf<T>);
  const auto of_condition = Places(all[0].shape(), shape);
  const auto yes = Places(all[1].shape(), shape);
  const auto no = Places(all[2].shape(), shape);
  for (size_t i = 0; i < yes.size(); ++i) {
    result.mutable_data<T>()[i] = all[0].data<bool>()[of_condition[i]]
                                      ? all[1].data<T>()[yes[i]]
                                      : all[2].data<T>()[no[i]];
  }
  return InPlace(result);
}

Operation Select(const NodeAttributes& attributes) {
  attributes.ExpectInputs(3);
  attributes.AnyType("T");
  return {[](Tensors inputs) {
            CheckSameType(inputs[1], inputs[2]);
            return ForType(inputs[1].dtype(),
                           [&]<typename T>() { return Choose<T>(inputs); });
          },
          BroadcastBound};
}

// Tensors of one value in the shape of another.
OperationMaker Filled(int64_t value) {
  return [value](const NodeAttributes& attributes) -> Operation {
    attributes.ExpectInputs(1);
    attributes.Type("T");
    return {
        [value](Tensors inputs) {
          return InPlace(Tensor::Full(inputs[0].shape(), value, Device::Host())
                             .Cast(inputs[0].dtype()));
        },
        [](Tensors inputs) { return 3 * BytesOf(inputs); }};
  };
}

Operation Size(const NodeAttributes& attributes) {
  attributes.ExpectInputs(1);
  const DType type = attributes.Type("out_type", DType::kInt32);
  return {[type](Tensors inputs) {
            return Tensor::Scalar(inputs[0].num_elements(), Device::Host())
                .Cast(type);
          },
          [](Tensors) { return 16.0; }};
}

// Which axes a reduction keeps.
std::vector<bool> KeptAxes(const Tensor& x, const Tensor& axes) {
  std::vector<bool> kept(static_cast<size_t>(x.rank()), true);
  for (const int64_t axis : IntegersIn("the axes", axes)) {
    if (axis < -x.rank() || axis >= x.rank()) {
      throw InvalidArgument("axis {} of {}", axis, Describe(x));
    }
    kept[static_cast<size_t>(axis < 0 ? axis + x.rank() : axis)] = false;
  }
  return kept;
}

template <typename T, typename Function>
Tensor Reduced(const Tensor& x, const Tensor& axes, bool keepdims, T first,
               const Function& function) {
  const std::vector<bool> kept = KeptAxes(x, axes);
  std::vector<int64_t> with_ones, without;
  for (int axis = 0; axis < x.rank(); ++axis) {
    const bool keeps = kept[static_cast<size_t>(axis)];
    with_ones.push_back(keeps ? x.dim(axis) : 1);
    if (keeps || keepdims) without.push_back(with_ones.back());
  }
  Tensor result = EmptyOnHost(Shape(without), kDTypeOf<T>);
  T* out = result.mutable_data<T>();
  std::fill_n(out, result.num_elements(), first);
  const Tensor host = x.ToHost();
  const auto places = Places(Shape(with_ones), x.shape());
  for (size_t i = 0; i < places.size(); ++i) {
    out[places[i]] = function(out[places[i]], host.data<T>()[i]);
  }
  return InPlace(result);
}

double ReductionBound(Tensors inputs) { return 20 * BytesOf(inputs) + 64; }

template <typename Function>
OperationMaker Extreme(bool largest, Function function) {
  return [=](const NodeAttributes& attributes) -> Operation {
    attributes.ExpectInputs(2);
    attributes.Type("T");
    const bool keepdims = attributes.Flag("keep_dims");
    return {[=](Tensors inputs) {
              return ForNumber(inputs[0].dtype(), [&]<typename T>() {
                using Limits = std::numeric_limits<T>;
                const T first = largest ? Limits::lowest() : Limits::max();
                return Reduced<T>(inputs[0], inputs[1], keepdims, first,
                                  function);
              });
            },
            ReductionBound};
  };
}

Operation All(const NodeAttributes& attributes) {
  attributes.ExpectInputs(2);
  const bool keepdims = attributes.Flag("keep_dims");
  return {[keepdims](Tensors inputs) {
            return Reduced<bool>(inputs[0], inputs[1], keepdims, true,
                                 [](bool a, bool b) { return a && b; });
          },
          ReductionBound};
}

// Returns the condition; the planner keeps it although nothing uses that.
Operation Assert(const NodeAttributes& attributes) {
  if (attributes.num_inputs() == 0) attributes.ExpectInputs(1);
  return {[](Tensors inputs) {
            const Tensor& condition = inputs[0];
            if (condition.item<bool>()) return condition;
            std::string message;
            for (const Tensor& part : inputs.subspan(1)) {
              const bool text = part.dtype() == DType::kString;
              message += (message.empty() ? "" : " ") +
                         (text && part.num_elements() == 1
                              ? part.ToVector<std::string>()[0]
                              : Describe(part));
            }
            throw InvalidArgument("an assertion of the model failed: {}",
                                  message);
          },
          {}};
}

}  // namespace

void AddHostOperations(OperationTable& table) {
  table.insert(
      {{"All", All},
       {"Assert", Assert},
       {"Equal", Comparison(std::equal_to<>(), true)},
       {"FloorMod", FloorMod},
       {"Greater", Comparison(std::greater<>(), false)},
       {"GreaterEqual", Comparison(std::greater_equal<>(), false)},
       {"Less", Comparison(std::less<>(), false)},
       {"LessEqual", Comparison(std::less_equal<>(), false)},
       {"LogicalAnd", LogicalAnd},
       {"Max", Extreme(true, [](auto a, auto b) { return std::max(a, b); })},
       {"Maximum", OfNumbers([](auto a, auto b) { return std::max(a, b); })},
       {"Min", Extreme(false, [](auto a, auto b) { return std::min(a, b); })},
       {"Minimum", OfNumbers([](auto a, auto b) { return std::min(a, b); })},
       {"NotEqual", Comparison(std::not_equal_to<>(), true)},
       {"OnesLike", Filled(1)},
       {"SelectV2", Select},
       {"Size", Size},
       {"ZerosLike", Filled(0)}});
}

}  // namespace lockstep::export_internal
