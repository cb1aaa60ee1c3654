#include "reference/tensor/tensor.h"

#include <atomic>
#include <cstring>
#include <type_traits>

#include "reference/base/check.h"
#include "reference/base/error.h"
#include "reference/base/threads.h"
#include "reference/tensor/cast_loop.h"
#include "reference/tensor/narrow_float.h"

namespace lockstep {
namespace {

// Each thread takes ids in blocks, so that threads share no counter.
uint64_t NextId() {
  constexpr uint64_t kBlock = 1 << 16;
  static std::atomic<uint64_t> next_block{1};
  thread_local uint64_t next = 0;
  thread_local uint64_t end = 0;
  if (next == end) {
    next = next_block.fetch_add(1, std::memory_order_relaxed) * kBlock;
    end = next + kBlock;
  }
  return next++;
}

struct StringArray {
  std::vector<std::string> values;
};

Device& HostFor(Device& device) {
  return device.on_host() ? device : Device::Host();
}

BufferPtr AllocateStrings(Device& device, int64_t count) {
  // One spare element keeps the address of an empty array valid.
  auto* array = new StringArray{std::vector<std::string>(count + 1)};
  return Buffer::Wrap(
      device, array->values.data(), count * sizeof(std::string),
      [](void* context) { delete static_cast<StringArray*>(context); }, array);
}

// num_elements() for a shape that may be impossibly large.
int64_t CheckedCount(const Shape& shape) {
  int64_t count = 1;
  for (const int64_t dim : shape.dims()) {
    // No element is larger than sixteen bytes.
    if (dim != 0 && count > INT64_MAX / 16 / dim) {
      throw ResourceExhausted("[Tensor] no memory for shape {}",
                              lockstep::ToString(shape));
    }
    count *= dim;
  }
  return count;
}

template <typename From, typename To>
void CastElements(const From* from, To* to, int64_t count) {
  constexpr bool kNarrows =
      std::is_same_v<From, float> && std::is_same_v<To, BFloat16>;
  constexpr bool kWidens =
      std::is_same_v<From, BFloat16> && std::is_same_v<To, float>;
  if constexpr (kNarrows || kWidens) {
    CastLoop(from, to, count);
  } else {
    std::transform(from, from + count, to,
                   [](From value) { return CastNumber<To>(value); });
  }
}

void AppendNested(const Tensor& tensor, std::string& text) {
  if (tensor.rank() > 0) {
    text += "[";
    for (int64_t i = 0; i < tensor.dim(0); ++i) {
      if (i > 0) text += ", ";
      AppendNested(tensor.Row(i), text);
    }
    text += "]";
    return;
  }
  VisitDType(tensor.dtype(), [&]<typename T>() {
    if constexpr (std::is_same_v<T, std::string>) {
      text += "'" + tensor.at<T>(0) + "'";
    } else if constexpr (kIsNarrowFloat<T>) {
      text += fmt::format("{}", static_cast<float>(tensor.at<T>(0)));
    } else {
      text += fmt::format("{}", tensor.at<T>(0));
    }
  });
}

}  // namespace

Tensor Tensor::Empty(const Shape& shape, DType dtype, Device& device) {
  if (!shape.fully_defined()) {
    throw InvalidArgument("[Tensor] a tensor has known dimensions, got {}",
                          lockstep::ToString(shape));
  }
  Tensor tensor;
  const int64_t count = CheckedCount(shape);
  tensor.buffer_ = dtype == DType::kString
                       ? AllocateStrings(HostFor(device), count)
                       : Buffer::Allocate(device, count * DTypeSize(dtype));
  tensor.on_host_ = device.on_host() || dtype == DType::kString;
  tensor.data_ = tensor.buffer_->data();
  tensor.shape_ = shape;
  tensor.dtype_ = dtype;
  tensor.id_ = NextId();
  return tensor;
}

Tensor Tensor::Zeros(const Shape& shape, DType dtype, Device& device) {
  Tensor tensor = Empty(shape, dtype, device);
  if (!tensor.on_host_) {
    const uint64_t zero = 0;
    tensor.FillOnGpu(&zero, DTypeSize(dtype));
  } else if (dtype != DType::kString) {
    std::memset(tensor.data_, 0, tensor.bytes());
  }
  return tensor;
}

Tensor Tensor::FromBuffer(BufferPtr buffer, const Shape& shape, DType dtype) {
  LOCKSTEP_CHECK(dtype != DType::kString);
  Tensor tensor;
  tensor.buffer_ = std::move(buffer);
  tensor.data_ = tensor.buffer_->data();
  tensor.shape_ = shape;
  tensor.dtype_ = dtype;
  tensor.on_host_ = tensor.device().on_host();
  tensor.id_ = NextId();
  LOCKSTEP_CHECK(tensor.bytes() <= tensor.buffer_->bytes());
  return tensor;
}

Tensor Tensor::WithNewId() const {
  Tensor tensor = *this;
  tensor.id_ = NextId();
  return tensor;
}

Tensor Tensor::Slice(int64_t begin, int64_t end) const {
  if (rank() == 0 || begin < 0 || end < begin || end > dim(0)) {
    throw InvalidArgument("[Slice] rows {} to {} are not in {}", begin, end,
                          Describe(*this));
  }
  const size_t row_bytes = dim(0) == 0 ? 0 : bytes() / dim(0);
  Tensor view = WithNewId();
  view.data_ = static_cast<std::byte*>(data_) + begin * row_bytes;
  view.shape_ = shape_.WithDim(0, end - begin);
  return view;
}

Tensor Tensor::Row(int64_t index) const {
  Tensor view = Slice(index, index + 1);
  view.shape_ = shape_.Tail();
  return view;
}

Tensor Tensor::Reshape(const Shape& shape) const {
  CheckDefined("Reshape");
  if (!shape.fully_defined() || shape.num_elements() != num_elements()) {
    throw InvalidArgument("[Reshape] {} does not fit shape {}", Describe(*this),
                          lockstep::ToString(shape));
  }
  Tensor view = WithNewId();
  view.shape_ = shape;
  return view;
}

Tensor Tensor::Clone(Device& device) const {
  CheckDefined("Clone");
  Tensor copy = Empty(shape_, dtype_, device);
  if (dtype_ == DType::kString) {
    std::copy_n(data<std::string>(), num_elements(),
                copy.mutable_data<std::string>());
  } else if (on_host_ && copy.on_host_) {
    std::memcpy(copy.data_, data_, bytes());
  } else if (bytes() > 0) {
    CopyTo(copy);
  }
  return copy;
}

// REQUIRES: at least one of the two is on a GPU.
void Tensor::CopyTo(Tensor& copy) const {
  DeviceMemory* source = device().memory();
  DeviceMemory* target = copy.device().memory();
  if (on_host_) {
    target->CopyFromHost(copy.data_, data_, bytes());
  } else if (copy.on_host_) {
    source->CopyToHost(copy.data_, data_, bytes());
  } else if (source == target) {
    source->Copy(copy.data_, data_, bytes());
  } else {
    target->CopyFrom(*source, copy.data_, data_, bytes());
  }
}

void Tensor::CopyFrom(const Tensor& other) {
  LOCKSTEP_CHECK(dtype_ != DType::kString && dtype_ == other.dtype_ &&
                 shape_ == other.shape_);
  if (bytes() == 0) return;
  if (on_host_ && other.on_host_) {
    std::memcpy(data_, other.data_, bytes());
  } else {
    other.CopyTo(*this);
  }
}

void Tensor::FillOnGpu(const void* value, size_t element_bytes) {
  device().memory()->Fill(data_, value, element_bytes, num_elements());
}

Tensor Tensor::To(Device& device) const {
  CheckDefined("To");
  if (&device == &this->device()) return *this;
  if (dtype_ == DType::kString && !device.on_host()) return *this;
  if (!on_host_ || !device.on_host()) return Clone(device);
  Tensor view = WithNewId();
  view.buffer_ = Buffer::Alias(device, buffer_);
  return view;
}

Tensor Tensor::Cast(DType dtype) const {
  CheckDefined("Cast");
  if (dtype == dtype_) return *this;
  if (dtype == DType::kString || dtype_ == DType::kString) {
    throw InvalidArgument("[Cast] strings are not numbers: {} to {}",
                          Describe(*this), DTypeName(dtype));
  }
  if (!on_host_) return gpu::Cast(*this, dtype);
  Tensor result = Empty(shape_, dtype, device());
  VisitDType(dtype_, [&]<typename From>() {
    VisitDType(dtype, [&]<typename To>() {
      if constexpr (kIsNumber<From> && kIsNumber<To>) {
        constexpr int64_t kGrain = 16384;  // worth waking a thread for
        const From* from = data<From>();
        To* to = result.mutable_data<To>();
        ParallelFor(num_elements(), kGrain,
                    [&](int64_t begin, int64_t end, int) {
                      CastElements(from + begin, to + begin, end - begin);
                    });
      }
    });
  });
  return result;
}

void Tensor::CheckDefined(const char* operation) const {
  if (defined()) return;
  throw InvalidArgument("[{}] there is no tensor", operation);
}

void Tensor::CheckScalar() const {
  if (!defined() || num_elements() != 1) {
    throw InvalidArgument("[Tensor] item() wants exactly one element, got {}",
                          Describe(*this));
  }
}

void Tensor::FailType(DType wanted) const {
  throw InvalidArgument("[Tensor] the elements of {} were asked for as {}",
                        Describe(*this), DTypeName(wanted));
}

void Tensor::FailCount(size_t got, const Shape& shape) {
  throw InvalidArgument("[Tensor] shape {} requires {} values, got {}",
                        lockstep::ToString(shape), shape.num_elements(), got);
}

bool BitwiseEqual(const Tensor& a, const Tensor& b) {
  if (!a.defined() || !b.defined()) return a.defined() == b.defined();
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  if (a.dtype() == DType::kString) {
    return std::ranges::equal(a.span<std::string>(), b.span<std::string>());
  }
  const Tensor left = a.ToHost();
  const Tensor right = b.ToHost();
  return std::memcmp(left.raw_data(), right.raw_data(), a.bytes()) == 0;
}

std::string Describe(const Tensor& tensor) {
  if (!tensor.defined()) return "no tensor";
  return fmt::format("{} {}", DTypeName(tensor.dtype()),
                     ToString(tensor.shape()));
}

std::string ToString(const Tensor& tensor) {
  if (!tensor.defined()) return Describe(tensor);
  std::string text;
  AppendNested(tensor.ToHost(), text);
  return text;
}

}  // namespace lockstep
