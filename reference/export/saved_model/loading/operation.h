// TensorFlow's operations, computed by the kernels here.
//
//   const Operation multiply = MakeOperation(node);   // of a Mul
//   multiply.compute({{a, b}});
//
// float32 lies on the current device, whole numbers with the host: they are
// sizes and places mostly. All is differentiable that is of float32.
#ifndef LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_OPERATION_H_
#define LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_OPERATION_H_

#include <functional>
#include <map>
#include <span>
#include <string>

#include "reference/export/saved_model/loading/node_attributes.h"
#include "reference/tensor/tensor.h"

namespace lockstep::export_internal {

using Tensors = std::span<const Tensor>;

struct Operation {
  // Errors: InvalidArgument for tensors that do not fit.
  std::function<Tensor(Tensors inputs)> compute;
  // Not less than the bytes that `compute` takes for what it gives.
  std::function<double(Tensors inputs)> most_bytes;
  std::string place = "";  // "node 'dense/MatMul' (MatMul)", for messages
};

// What an operation of this kind with these attributes does.
// Errors: DataLoss, Unimplemented.
using OperationMaker = std::function<Operation(const NodeAttributes&)>;
using OperationTable = std::map<std::string, OperationMaker>;

void AddArithmetic(OperationTable& table);
void AddArrayOperations(OperationTable& table);
void AddNetworkOperations(OperationTable& table);

// Errors: Unimplemented, with the operation and the node, for one that is not
// offered, or not with these attributes; DataLoss.
Operation MakeOperation(const saved_model::NodeDef& node);

// Of what gives no more elements than come in, of their types.
double BytesOf(Tensors inputs);

// int32 or int64 of rank 1 or 0. Errors: InvalidArgument, led by `name`.
std::vector<int64_t> IntegersIn(const char* name, const Tensor& tensor);

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_OPERATION_H_
