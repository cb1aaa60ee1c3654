#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>

#include "reference/base/check.h"
#include "reference/collectives/cuda/sum_pieces.h"

namespace lockstep::cuda {

using collectives_internal::SumArguments;

namespace {

constexpr int kThreads = 256;
constexpr int kMostPieces = 512;
// Elements of one block. A piece's last block has less.
constexpr int64_t kBlockElements = 16 * kThreads;

// The arguments of a launch, passed by value: 20 KiB of the 32 KiB that CUDA 12
// and later allow.
struct Table {
  int pieces = 0;
  int inputs = 0;
  int outputs = 0;
  int first_block[kMostPieces + 1] = {};
  int count[kMostPieces] = {};
  bool aligned[kMostPieces] = {};
  void* pointers[kMostPointers] = {};  // of a piece: inputs, then outputs
};
static_assert(sizeof(Table) < 32000);

// The type for additions: float for 16-bit floats, unsigned integers, which
// wrap, for integers.
template <typename T>
struct Wide {
  using type = T;
};
template <>
struct Wide<__nv_bfloat16> {
  using type = float;
};
template <>
struct Wide<__half> {
  using type = float;
};

template <typename T>
struct alignas(16) Vector {
  static constexpr int kSize = 16 / sizeof(T);
  T at[kSize];
};

__device__ int FindPiece(const Table& table, int block) {
  int low = 0;
  int high = table.pieces;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    (table.first_block[middle] <= block ? low : high) = middle;
  }
  return low;
}

// Adds one V, a vector or an element, of all inputs and writes it to all
// outputs.
template <typename T, typename V>
__device__ void SumOne(const Table& table, void* const* pointers, int64_t i,
                       typename Wide<T>::type divisor, bool divide) {
  constexpr int kSize = sizeof(V) / sizeof(T);
  using W = typename Wide<T>::type;
  W sums[kSize];
  for (int k = 0; k < table.inputs; ++k) {
    const V in = static_cast<const V*>(pointers[k])[i];
    const T* elements = reinterpret_cast<const T*>(&in);
    for (int e = 0; e < kSize; ++e) {
      const W value = static_cast<W>(elements[e]);
      sums[e] = k == 0 ? value : static_cast<W>(sums[e] + value);
    }
  }
  V out;
  T* elements = reinterpret_cast<T*>(&out);
  for (int e = 0; e < kSize; ++e) {
    elements[e] = static_cast<T>(divide ? sums[e] / divisor : sums[e]);
  }
  for (int k = table.inputs; k < table.inputs + table.outputs; ++k) {
    static_cast<V*>(pointers[k])[i] = out;
  }
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    SumKernel(const __grid_constant__ Table table, int divisor) {
  const int piece = FindPiece(table, blockIdx.x);
  void* const* pointers =
      table.pointers + piece * (table.inputs + table.outputs);
  const int64_t begin =
      (blockIdx.x - table.first_block[piece]) * kBlockElements;
  const int64_t end =
      min(begin + kBlockElements, static_cast<int64_t>(table.count[piece]));
  const auto by = static_cast<typename Wide<T>::type>(divisor);
  const bool divide = divisor != 1;
  int64_t rest = begin;
  if (table.aligned[piece]) {
    constexpr int kSize = Vector<T>::kSize;
    const int64_t whole = end / kSize;
    for (int64_t i = begin / kSize + threadIdx.x; i < whole; i += kThreads) {
      SumOne<T, Vector<T>>(table, pointers, i, by, divide);
    }
    rest = max(begin, whole * kSize);
  }
  for (int64_t i = rest + threadIdx.x; i < end; i += kThreads) {
    SumOne<T, T>(table, pointers, i, by, divide);
  }
}

bool IsAligned(const void* pointer) {
  return reinterpret_cast<uintptr_t>(pointer) % sizeof(Vector<char>) == 0;
}

template <class Body>
void VisitSummed(DType dtype, const Body& body) {
  switch (dtype) {
    case DType::kFloat32:
      return body.template operator()<float>();
    case DType::kFloat64:
      return body.template operator()<double>();
    case DType::kBFloat16:
      return body.template operator()<__nv_bfloat16>();
    case DType::kFloat16:
      return body.template operator()<__half>();
    case DType::kInt32:
      return body.template operator()<uint32_t>();
    case DType::kInt64:
      return body.template operator()<uint64_t>();
    case DType::kUInt8:
      return body.template operator()<uint8_t>();
    default:
      LOCKSTEP_CHECK(!"a numeric dtype");
  }
}

// The pieces of one launch: all have one dtype and divisor and fit into one
// table.
class Launch {
 public:
  explicit Launch(const SumArguments& first)
      : dtype_(first.dtype), divisor_(first.divisor) {
    table_.inputs = static_cast<int>(first.inputs.size());
    table_.outputs = static_cast<int>(first.outputs.size());
    LOCKSTEP_CHECK(table_.inputs + table_.outputs <= kMostPointers);
  }

  // Adds elements first, first + 1, ... of a piece: all, or as many as one
  // entry of the table can have, or none if the table is full. Returns how
  // many.
  int64_t Add(const SumArguments& piece, int64_t first) {
    constexpr int64_t kMostElements = int64_t{1} << 30;
    const int width = table_.inputs + table_.outputs;
    if (piece.dtype != dtype_ || piece.divisor != divisor_ ||
        table_.pieces == kMostPieces ||
        (table_.pieces + 1) * width > kMostPointers) {
      return 0;
    }
    const int64_t count = std::min(piece.count - first, kMostElements);
    const int p = table_.pieces++;
    const auto offset = static_cast<size_t>(first) * DTypeSize(piece.dtype);
    void** to = table_.pointers + p * width;
    table_.aligned[p] = true;
    const auto put = [&](const void* pointer) {
      *to = static_cast<char*>(const_cast<void*>(pointer)) + offset;
      table_.aligned[p] &= IsAligned(*to++);
    };
    for (const void* input : piece.inputs) put(input);
    for (const void* output : piece.outputs) put(output);
    table_.count[p] = static_cast<int>(count);
    table_.first_block[p + 1] =
        table_.first_block[p] +
        static_cast<int>((count + kBlockElements - 1) / kBlockElements);
    return count;
  }

  cudaError_t Run(cudaStream_t stream) const {
    const int blocks = table_.first_block[table_.pieces];
    if (blocks == 0) return cudaSuccess;
    VisitSummed(dtype_, [&]<typename T>() {
      SumKernel<T><<<blocks, kThreads, 0, stream>>>(table_, divisor_);
    });
    return cudaGetLastError();
  }

 private:
  const DType dtype_;
  const int divisor_;
  Table table_;
};

}  // namespace

cudaError_t SumPieces(cudaStream_t stream,
                      std::span<const SumArguments> pieces) {
  size_t piece = 0;
  int64_t done = 0;  // of that piece
  while (piece < pieces.size()) {
    Launch launch(pieces[piece]);
    while (piece < pieces.size()) {
      const int64_t added = launch.Add(pieces[piece], done);
      if (added == 0 && done < pieces[piece].count) break;
      done += added;
      if (done < pieces[piece].count) break;  // the rest in another launch
      ++piece;
      done = 0;
    }
    const cudaError_t status = launch.Run(stream);
    if (status != cudaSuccess) return status;
  }
  return cudaSuccess;
}

}  // namespace lockstep::cuda
