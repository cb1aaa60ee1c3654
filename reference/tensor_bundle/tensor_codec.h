// How a TensorBundle stores one tensor: numbers as they lie in memory (little
// endian, row-major, bool as one byte); strings as
//
//   varint length of each | masked CRC-32C of the lengths | the characters
//
// where checksums take a length as uint32 (as uint64 from 4 GiB on).
#ifndef LOCKSTEP_REFERENCE_TENSOR_BUNDLE_TENSOR_CODEC_H_
#define LOCKSTEP_REFERENCE_TENSOR_BUNDLE_TENSOR_CODEC_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "reference/tensor/tensor.h"
#include "reference/tensor_bundle/tensor_bundle.pb.h"

namespace lockstep::tensor_bundle_internal {

tensor_bundle::DataType DataTypeOf(DType dtype);
// nullopt for a type that tensors here do not hold.
std::optional<DType> DTypeOf(tensor_bundle::DataType type);

// Hands the stored bytes to `append`, piece by piece; gives their checksum,
// not yet masked. REQUIRES: the tensor lies on a CPU device.
uint32_t EncodeTensor(const Tensor& tensor,
                      const std::function<void(std::string_view)>& append);

// Bytes that are read once the caller gives their destination.
struct StoredBytes {
  size_t size;
  std::function<void(char* out)> read;
};

// The tensor of `shape` that `bytes` store, whose masked checksum is
// `masked_crc`. `place` (file and key) leads messages.
// Errors: DataLoss when size, checksum or content do not fit.
Tensor DecodeTensor(const StoredBytes& stored, const Shape& shape, DType dtype,
                    uint32_t masked_crc, const std::string& place);

}  // namespace lockstep::tensor_bundle_internal

#endif  // LOCKSTEP_REFERENCE_TENSOR_BUNDLE_TENSOR_CODEC_H_
