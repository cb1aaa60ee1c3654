// TensorFlow's operations, computed by our kernels.
//
//   const Operation multiply = MakeOperation(node);   // of a Mul
//   multiply.compute({{a, b}});
//
// float32 tensors are on the current device. Others are on the host, because most
// are sizes, indices and words. Operations on float32 are differentiable, except
// comparisons, choices, and those on ids and words.
#ifndef LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_OPERATIONS_OPERATION_H_
#define LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_OPERATIONS_OPERATION_H_

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "reference/export/saved_model/loading/operations/node_attributes.h"
#include "reference/tensor/tensor.h"

namespace lockstep::export_internal {

using Tensors = std::span<const Tensor>;

struct Operation {
  // Errors: InvalidArgument if the inputs do not fit.
  std::function<Tensor(Tensors inputs)> compute;
  // An upper bound of the bytes that `compute` allocates for its result.
  std::function<double(Tensors inputs)> most_bytes;
  std::string place = "";  // "node 'dense/MatMul' (MatMul)", for messages
  // Of an operation with several results: their names in the graph, and what
  // returns all of them, instead of `compute`.
  std::vector<std::string> results = {};
  std::function<std::vector<Tensor>(Tensors inputs)> compute_all = nullptr;
};

// Makes an operation of one kind from a node's attributes.
// Errors: DataLoss, Unimplemented.
using OperationMaker = std::function<Operation(const NodeAttributes&)>;
using OperationTable = std::map<std::string, OperationMaker>;

void AddArithmetic(OperationTable& table);
void AddArrayOperations(OperationTable& table);
void AddHashOperations(OperationTable& table);
void AddHostOperations(OperationTable& table);
void AddIdOperations(OperationTable& table);
void AddNetworkOperations(OperationTable& table);
void AddRaggedOperations(OperationTable& table);
void AddWordOperations(OperationTable& table);

// Errors: Unimplemented, with the operation and the node, if the operation or one
// of its attributes is not supported; DataLoss.
Operation MakeOperation(const saved_model::NodeDef& node);

// The bytes of all inputs: the bound for results that are no larger.
double BytesOf(Tensors inputs);

// The elements of an int32 or int64 tensor of rank 0 or 1. Errors:
// InvalidArgument, which begins with `name`.
std::vector<int64_t> IntegersIn(const char* name, const Tensor& tensor);

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_OPERATIONS_OPERATION_H_
