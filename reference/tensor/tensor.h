// A dense row-major array on a device; images are NHWC, kernels HWIO.
//
//   Tensor t = Tensor::FromVector<float>({1, 2, 3, 4}, Shape{2, 2});
//   t.Slice(1, 2).ToVector<float>();       // {3, 4}: a view, nothing copied
//   t.Reshape(Shape{4}).at<float>(2);      // 3
//
// Copies are cheap and share memory. The elements of a shared tensor do not
// change: a writer (mutable_data) must be the only owner (unique()), or have
// just made the tensor.
//
// For a tensor on a GPU, ToVector, item, at and ToString wait for the GPU and
// copy to the host; data() is an address on the GPU. Strings are always in host
// memory.
#ifndef LOCKSTEP_REFERENCE_TENSOR_TENSOR_H_
#define LOCKSTEP_REFERENCE_TENSOR_TENSOR_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "reference/device/buffer.h"
#include "reference/device/device_kernel.h"
#include "reference/tensor/dtype.h"
#include "reference/tensor/shape.h"

namespace lockstep {

class Tensor {
 public:
  Tensor() = default;  // undefined: defined() is false

  // Uninitialised memory (strings are empty).
  static Tensor Empty(const Shape& shape, DType dtype = DType::kFloat32,
                      Device& device = Device::Current());
  static Tensor Zeros(const Shape& shape, DType dtype = DType::kFloat32,
                      Device& device = Device::Current());
  // Borrows memory. REQUIRES: numeric dtype; buffer large enough.
  static Tensor FromBuffer(BufferPtr buffer, const Shape& shape, DType dtype);

  // Errors: InvalidArgument if the number of values is not that of the shape.
  template <typename T>
  static Tensor FromVector(const std::vector<T>& values, const Shape& shape,
                           Device& device = Device::Current());
  template <typename T>
  static Tensor FromVector(const std::vector<T>& values) {
    return FromVector(values, Shape{static_cast<int64_t>(values.size())});
  }
  template <typename T>
  static Tensor Scalar(T value, Device& device = Device::Current());
  template <typename T>
  static Tensor Full(const Shape& shape, T value,
                     Device& device = Device::Current());

  bool defined() const { return static_cast<bool>(buffer_); }
  const Shape& shape() const { return shape_; }
  int rank() const { return shape_.rank(); }
  int64_t dim(int axis) const { return shape_[axis]; }
  int64_t num_elements() const { return shape_.num_elements(); }
  DType dtype() const { return dtype_; }
  size_t bytes() const {
    return static_cast<size_t>(num_elements()) * DTypeSize(dtype_);
  }
  Device& device() const { return buffer_->device(); }
  // Whether this is the only reference to its memory.
  bool unique() const { return buffer_->unique(); }
  bool SharesMemoryWith(const Tensor& other) const {
    return buffer_ == other.buffer_;
  }

  // Identifies the tensor to gradient tapes: copies keep the id, all other new
  // tensors (also views) get a new one. 0 for an undefined tensor.
  uint64_t id() const { return id_; }
  // The same elements with a new id: for a value that was changed in place, or
  // to stop gradients (tf.stop_gradient).
  Tensor WithNewId() const;

  // Whether the host can read the elements in place.
  bool on_host() const { return on_host_; }

  // Errors: InvalidArgument unless T is the element type.
  template <typename T>
  const T* data() const {
    if (dtype_ != kDTypeOf<T>) FailType(kDTypeOf<T>);
    return static_cast<const T*>(raw_data());
  }
  template <typename T>
  T* mutable_data() {
    if (dtype_ != kDTypeOf<T>) FailType(kDTypeOf<T>);
    return static_cast<T*>(mutable_raw_data());
  }
  const void* raw_data() const { return data_; }
  void* mutable_raw_data() { return data_; }
  // REQUIRES: on_host().
  template <typename T>
  std::span<const T> span() const {
    return {data<T>(), static_cast<size_t>(num_elements())};
  }
  // Element `index` in row-major order. REQUIRES: in range.
  template <typename T>
  T at(int64_t index) const {
    if (!on_host_) return ReadElement<T>(index);
    return data<T>()[index];
  }
  template <typename T>
  std::vector<T> ToVector() const {
    CheckDefined("ToVector");
    if (!on_host_) return ToHost().ToVector<T>();
    return std::vector<T>(data<T>(), data<T>() + num_elements());
  }
  // The only element. Errors: InvalidArgument unless there is one, of type T.
  template <typename T>
  T item() const {
    CheckScalar();
    return at<T>(0);
  }

  // Rows begin..end-1 of axis 0, sharing memory.
  // Errors: InvalidArgument for a scalar or a range outside the tensor.
  Tensor Slice(int64_t begin, int64_t end) const;
  // Row `index` without axis 0, sharing memory. Errors as Slice.
  Tensor Row(int64_t index) const;
  // Errors: InvalidArgument if the numbers of elements differ.
  Tensor Reshape(const Shape& shape) const;
  // A copy in new memory, on `device`.
  Tensor Clone(Device& device = Device::Current()) const;
  // The same elements on `device`: this tensor if it is there already, a view
  // between logical CPU devices, otherwise a copy. A copy to a GPU is only
  // enqueued; one to the host waits for the GPU.
  Tensor To(Device& device) const;
  // This tensor if the host can read it, else a copy on the host.
  Tensor ToHost() const { return on_host_ ? *this : To(Device::Host()); }
  // Overwrites the elements with those of another tensor, on any devices.
  // REQUIRES: numbers of the same type and shape; unique().
  void CopyFrom(const Tensor& other);
  // Converts each element as CastNumber does. Errors: InvalidArgument for
  // strings.
  Tensor Cast(DType dtype) const;

 private:
  void CheckDefined(const char* operation) const;
  void CheckScalar() const;
  [[noreturn]] void FailType(DType wanted) const;
  [[noreturn]] static void FailCount(size_t got, const Shape& shape);
  void CopyTo(Tensor& copy) const;
  // Sets every element to the element of `element_bytes` at `value`.
  void FillOnGpu(const void* value, size_t element_bytes);
  // One element of a tensor on a GPU.
  template <typename T>
  T ReadElement(int64_t index) const {
    return Reshape(Shape{num_elements()}).Row(index).ToHost().at<T>(0);
  }

  BufferPtr buffer_;
  void* data_ = nullptr;
  Shape shape_;
  DType dtype_ = DType::kFloat32;
  bool on_host_ = true;
  uint64_t id_ = 0;
};

// Whether type, shape and bits are equal (NaN equals the same NaN), or both are
// undefined.
bool BitwiseEqual(const Tensor& a, const Tensor& b);

// "float32 (2, 3)".
std::string Describe(const Tensor& tensor);
// Values as nested lists, "[[1, 2], [3, 4]]"; for messages and examples.
std::string ToString(const Tensor& tensor);

template <typename T>
Tensor Tensor::FromVector(const std::vector<T>& values, const Shape& shape,
                          Device& device) {
  if (static_cast<int64_t>(values.size()) != shape.num_elements()) {
    FailCount(values.size(), shape);
  }
  Device& written_on = device.on_host() ? device : Device::Host();
  Tensor tensor = Empty(shape, kDTypeOf<T>, written_on);
  std::copy(values.begin(), values.end(), tensor.mutable_data<T>());
  if (!device.on_host()) tensor = tensor.To(device);
  return tensor;
}

template <typename T>
Tensor Tensor::Scalar(T value, Device& device) {
  return Full(Shape{}, std::move(value), device);
}

template <typename T>
Tensor Tensor::Full(const Shape& shape, T value, Device& device) {
  Tensor tensor = Empty(shape, kDTypeOf<T>, device);
  if (tensor.on_host_) {
    std::fill_n(tensor.mutable_data<T>(), tensor.num_elements(), value);
  } else {
    tensor.FillOnGpu(&value, sizeof(T));
  }
  return tensor;
}

// The type and possibly partial shape of a tensor.
struct TensorSpec {
  Shape shape;  // dimensions may be kUnknownDim
  DType dtype = DType::kFloat32;

  bool operator==(const TensorSpec&) const = default;
};

inline TensorSpec SpecOf(const Tensor& tensor) {
  return {tensor.shape(), tensor.dtype()};
}

// "float32 (None, 28, 28, 1)".
inline std::string ToString(const TensorSpec& spec) {
  return std::string(DTypeName(spec.dtype)) + " " + ToString(spec.shape);
}

}  // namespace lockstep

namespace lockstep::gpu {

// The GPU version of Tensor::Cast, for numeric types that differ.
inline constinit DeviceKernel<Tensor(const Tensor&, DType)> Cast{"Cast"};

}  // namespace lockstep::gpu

#endif  // LOCKSTEP_REFERENCE_TENSOR_TENSOR_H_
