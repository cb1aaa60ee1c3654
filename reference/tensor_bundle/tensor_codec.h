// How a TensorBundle stores one tensor. Numbers are stored as they are in memory
// (little endian, row-major, bool as one byte), strings as
//
//   varint length of each | masked CRC-32C of the lengths | the characters
//
// A checksum covers a length as uint32, or as uint64 from 4 GiB on.
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
// nullopt for a type that our tensors do not have.
std::optional<DType> DTypeOf(tensor_bundle::DataType type);

// Calls `append` with the stored bytes, piece by piece. Returns their unmasked
// CRC-32C. REQUIRES: the tensor is on a CPU device.
uint32_t EncodeTensor(const Tensor& tensor,
                      const std::function<void(std::string_view)>& append);

// Bytes that are read directly into memory that the decoder provides.
struct StoredBytes {
  size_t size;
  std::function<void(char* out)> read;
};

// Returns the tensor that `stored` encodes. `place` (file and key) is named in
// error messages. Errors: DataLoss if the size does not fit the shape, the
// masked checksum is not `masked_crc`, or the content is invalid.
Tensor DecodeTensor(const StoredBytes& stored, const Shape& shape, DType dtype,
                    uint32_t masked_crc, const std::string& place);

}  // namespace lockstep::tensor_bundle_internal

#endif  // LOCKSTEP_REFERENCE_TENSOR_BUNDLE_TENSOR_CODEC_H_
