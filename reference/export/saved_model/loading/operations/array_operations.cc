// Operations that move elements or return shapes.
#include <algorithm>
#include <cmath>
#include <utility>

#include "reference/autodiff/ops/array_ops.h"
#include "reference/export/saved_model/loading/operations/operation.h"
#include "reference/export/saved_model/loading/operations/strided_slice.h"

namespace lockstep::export_internal {
namespace {

// A valid axis of a tensor of this rank; a negative one counts from the end.
int AxisOf(int64_t axis, int rank) {
  if (axis < -rank || axis >= rank) {
    throw InvalidArgument("axis {} of a tensor of rank {}", axis, rank);
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

// The shape in which a dimension of -1 is computed from the others.
Shape ShapeFor(const Tensor& x, std::vector<int64_t> dims) {
  double known = 1;
  int64_t* open = nullptr;
  for (int64_t& dim : dims) {
    if (dim == kUnknownDim && open == nullptr) {
      open = &dim;
    } else if (dim < 0) {
      throw InvalidArgument("a dimension of {}", dim);
    } else {
      known *= static_cast<double>(dim);
    }
  }
  const auto elements = static_cast<double>(x.num_elements());
  if (open != nullptr) {
    const double rest = known > 0 ? std::floor(elements / known) : 0;
    *open = static_cast<int64_t>(rest);
    known *= rest;
  }
  if (known != elements) {
    throw InvalidArgument("{} does not fit into a shape of {:.0f} elements",
                          Describe(x), known);
  }
  return Shape(dims);
}

Operation Reshape(const NodeAttributes& attributes) {
  attributes.ExpectInputs(2);
  attributes.AnyType("T");
  return {[](Tensors inputs) {
            const Tensor& x = inputs[0];
            return ops::Reshape(
                x, ShapeFor(x, IntegersIn("the shape", inputs[1])));
          },
          {}};
}

Operation Squeeze(const NodeAttributes& attributes) {
  attributes.ExpectInputs(1);
  attributes.AnyType("T");
  const auto axes = attributes.Integers("squeeze_dims", {});
  return {[axes](Tensors inputs) {
            const Shape& shape = inputs[0].shape();
            std::vector<bool> goes(static_cast<size_t>(shape.rank()), false);
            for (const int64_t named : axes) {
              const int axis = AxisOf(named, shape.rank());
              if (shape[axis] != 1) {
                throw InvalidArgument("axis {} of {} is not of one element",
                                      named, ToString(shape));
              }
              goes[static_cast<size_t>(axis)] = true;
            }
            std::vector<int64_t> dims;
            for (int i = 0; i < shape.rank(); ++i) {
              const bool drop =
                  axes.empty() ? shape[i] == 1 : goes[static_cast<size_t>(i)];
              if (!drop) dims.push_back(shape[i]);
            }
            return ops::Reshape(inputs[0], Shape(dims));
          },
          {}};
}

Operation ExpandDims(const NodeAttributes& attributes) {
  attributes.ExpectInputs(2);
  attributes.AnyType("T");
  return {[](Tensors inputs) {
            const Tensor& x = inputs[0];
            const auto axis = IntegersIn("the axis", inputs[1]);
            if (axis.size() != 1) {
              throw InvalidArgument("there are {} axes", axis.size());
            }
            const int at = AxisOf(axis[0], x.rank() + 1);
            std::vector<int64_t> dims(x.shape().dims().begin(),
                                      x.shape().dims().end());
            dims.insert(dims.begin() + at, 1);
            return ops::Reshape(x, Shape(dims));
          },
          {}};
}

Operation ShapeOperation(const NodeAttributes& attributes) {
  attributes.ExpectInputs(1);
  attributes.AnyType("T");
  const DType type = attributes.Type("out_type", DType::kInt32);
  return {[type](Tensors inputs) {
            const auto dims = inputs[0].shape().dims();
            return Tensor::FromVector<int64_t>({dims.begin(), dims.end()},
                                               Shape{inputs[0].rank()},
                                               Device::Host())
                .Cast(type);
          },
          [](Tensors) { return 8.0 * Shape::kMaxRank; }};
}

Operation Pack(const NodeAttributes& attributes) {
  if (attributes.num_inputs() == 0) attributes.ExpectInputs(1);
  attributes.Type("T");
  const int64_t axis = attributes.Integer("axis", 0);
  return {[axis](Tensors inputs) {
            const Shape& shape = inputs[0].shape();
            const int at = AxisOf(axis, shape.rank() + 1);
            std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
            dims.insert(dims.begin() + at, 1);
            std::vector<Tensor> parts;
            for (const Tensor& input : inputs) {
              if (input.shape() != shape) {
                throw InvalidArgument("{} packed with {}", Describe(input),
                                      Describe(inputs[0]));
              }
              parts.push_back(ops::Reshape(input, Shape(dims)));
            }
            return ops::Concat(parts, at);
          },
          {}};
}

Operation Concat(const NodeAttributes& attributes) {
  if (attributes.num_inputs() < 2) attributes.ExpectInputs(2);
  attributes.Type("T");
  return {[](Tensors inputs) {
            const auto axis = IntegersIn("the axis", inputs.back());
            const Tensors parts = inputs.first(inputs.size() - 1);
            if (axis.size() != 1) {
              throw InvalidArgument("there are {} axes", axis.size());
            }
            return ops::Concat({parts.begin(), parts.end()},
                               AxisOf(axis[0], parts[0].rank()));
          },
          {}};
}

Operation StridedSlice(const NodeAttributes& attributes) {
  attributes.ExpectInputs(4);
  attributes.Type("T");
  const SliceMasks masks = {
      .begin = attributes.Integer("begin_mask", 0),
      .end = attributes.Integer("end_mask", 0),
      .ellipsis = attributes.Integer("ellipsis_mask", 0),
      .new_axis = attributes.Integer("new_axis_mask", 0),
      .shrink_axis = attributes.Integer("shrink_axis_mask", 0)};
  return {[masks](Tensors inputs) {
            const Tensor& x = inputs[0];
            const Slicing slicing(
                x.shape(), masks, IntegersIn("begin", inputs[1]),
                IntegersIn("end", inputs[2]), IntegersIn("strides", inputs[3]));
            const Tensor indices =
                Tensor::FromVector(slicing.Indices(),
                                   Shape{slicing.shape().num_elements()},
                                   Device::Host())
                    .To(x.device());
            const Tensor flat = ops::Reshape(x, Shape{x.num_elements()});
            return ops::Reshape(ops::Gather(flat, indices), slicing.shape());
          },
          // Two lists of indices and the elements.
          [](Tensors inputs) { return 5 * BytesOf(inputs); }};
}

// Rows of a table.
Tensor Rows(Tensors inputs) {
  return ops::Gather(inputs[0], inputs[1].To(inputs[0].device()));
}

double RowBytes(Tensors inputs) {
  const Tensor& table = inputs[0];
  const auto rows = std::max<int64_t>(table.rank() == 0 ? 1 : table.dim(0), 1);
  return static_cast<double>(table.bytes()) / static_cast<double>(rows) *
         static_cast<double>(inputs[1].num_elements());
}

Operation Gather(const NodeAttributes& attributes) {
  attributes.ExpectInputs(3);
  attributes.Type("Tparams");
  if (attributes.Integer("batch_dims", 0) != 0) {
    throw Unimplemented("{}: batch_dims are not supported", attributes.place());
  }
  return {[](Tensors inputs) {
            const auto axis = IntegersIn("the axis", inputs[2]);
            if (axis != std::vector<int64_t>{0}) {
              throw InvalidArgument("only rows, axis 0, can be gathered");
            }
            return Rows(inputs);
          },
          RowBytes};
}

// Rows of a variable; the planner reads it.
Operation ResourceGather(const NodeAttributes& attributes) {
  attributes.ExpectInputs(2);
  attributes.Type("dtype");
  if (attributes.Integer("batch_dims", 0) != 0) {
    throw Unimplemented("{}: batch_dims are not supported", attributes.place());
  }
  return {Rows, RowBytes};
}

}  // namespace

void AddArrayOperations(OperationTable& table) {
  table.insert({{"ConcatV2", Concat},
                {"ExpandDims", ExpandDims},
                {"GatherV2", Gather},
                {"Pack", Pack},
                {"Reshape", Reshape},
                {"ResourceGather", ResourceGather},
                {"Shape", ShapeOperation},
                {"Squeeze", Squeeze},
                {"StridedSlice", StridedSlice}});
}

}  // namespace lockstep::export_internal
