// How it works. Rows are read in blocks that stay in the cache. In a block the
// means are computed first, then the deviations from them, so no digits are
// lost. Blocks are merged by the formula of Chan, Golub and LeVeque, "Updating
// formulae and a pairwise algorithm for computing sample variances", 1979.
//
// The inner loops run over tiles of eight columns, which the compiler turns
// into vector instructions. Narrow rows are read as wider ones, several rows as
// one; the copies of a column are merged at the end.
#include "reference/preprocessing/numeric/moments.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "reference/base/error.h"

namespace lockstep {
namespace {

constexpr int kTile = 8;
constexpr int64_t kNarrow = 64;         // columns
constexpr int64_t kBlockBytes = 16384;  // half of a small first-level cache
constexpr int64_t kLeastRows = 16;      // of a block

// How many rows are read as one.
int64_t RowsTogether(int64_t columns) {
  return columns < kNarrow ? kTile / std::gcd(columns, int64_t{kTile}) : 1;
}

// The moments of `width` columns of a block whose rows are `stride` apart.
template <int width, typename T>
void TileMoments(const T* rows, int64_t count, int64_t stride, double* mean,
                 double* squares) {
  std::array<double, width> sum{}, square{};
  for (int64_t r = 0; r < count; ++r) {
    for (int c = 0; c < width; ++c) sum[c] += rows[r * stride + c];
  }
  for (double& s : sum) s /= static_cast<double>(count);
  for (int64_t r = 0; r < count; ++r) {
    for (int c = 0; c < width; ++c) {
      const double deviation = rows[r * stride + c] - sum[c];
      square[c] += deviation * deviation;
    }
  }
  std::ranges::copy(sum, mean);
  std::ranges::copy(square, squares);
}

}  // namespace

Moments::Moments(int64_t columns) {
  if (columns < 1) {
    throw InvalidArgument("[Moments] columns must be at least 1, got {}",
                          columns);
  }
  mean_.resize(columns);
  squares_.resize(columns);
}

Moments Moments::FromParts(int64_t count, std::vector<double> mean,
                           std::vector<double> squared_deviations) {
  Moments moments(static_cast<int64_t>(mean.size()));
  if (squared_deviations.size() != mean.size() || count < 0) {
    throw InvalidArgument(
        "[Moments] needs a count and two lists of one length, got {}, {} means "
        "and {} sums",
        count, mean.size(), squared_deviations.size());
  }
  moments.count_ = count;
  moments.mean_ = std::move(mean);
  moments.squares_ = std::move(squared_deviations);
  return moments;
}

void Moments::Add(std::span<const float> rows) { AddRows(rows); }

void Moments::Add(std::span<const double> rows) { AddRows(rows); }

template <typename T>
void Moments::AddRows(std::span<const T> rows) {
  const auto size = static_cast<int64_t>(rows.size());
  if (size % columns() != 0) {
    throw InvalidArgument("[Moments] {} numbers are not whole rows of {}", size,
                          columns());
  }
  const int64_t together = RowsTogether(columns());
  const int64_t wide_rows = size / (columns() * together);
  Moments wide(columns() * together);
  wide.AddBlocks(rows.data(), wide_rows);
  for (int64_t copy = 0; copy < together; ++copy) {
    const int64_t first = copy * columns();
    MergeColumns(wide.count_, &wide.mean_[first], &wide.squares_[first]);
  }
  const int64_t added = wide_rows * together;
  AddBlocks(rows.data() + added * columns(), size / columns() - added);
}

template <typename T>
void Moments::AddBlocks(const T* rows, int64_t count) {
  const int64_t width = columns();
  const int64_t block_rows = std::max<int64_t>(
      kLeastRows, kBlockBytes / static_cast<int64_t>(sizeof(T)) / width);
  std::vector<double> mean(width), squares(width);
  for (int64_t row = 0; row < count; row += block_rows) {
    const int64_t n = std::min(block_rows, count - row);
    const T* block = rows + row * width;
    int64_t c = 0;
    for (; c + kTile <= width; c += kTile) {
      TileMoments<kTile>(block + c, n, width, &mean[c], &squares[c]);
    }
    for (; c < width; ++c) {
      TileMoments<1>(block + c, n, width, &mean[c], &squares[c]);
    }
    MergeColumns(n, mean.data(), squares.data());
  }
}

void Moments::Merge(const Moments& other) {
  if (other.columns() != columns()) {
    throw InvalidArgument("[Moments] cannot merge {} columns with {}",
                          other.columns(), columns());
  }
  MergeColumns(other.count_, other.mean_.data(), other.squares_.data());
}

void Moments::MergeColumns(int64_t count, const double* mean,
                           const double* squares) {
  if (count == 0) return;
  const auto old_count = static_cast<double>(count_);
  count_ += count;
  const double share = static_cast<double>(count) / static_cast<double>(count_);
  for (int64_t c = 0; c < columns(); ++c) {
    const double difference = mean[c] - mean_[c];
    mean_[c] += difference * share;
    squares_[c] += squares[c] + difference * difference * old_count * share;
  }
}

std::vector<double> Moments::Variance() const {
  std::vector<double> variance = squares_;
  for (double& v : variance) {
    v /= static_cast<double>(std::max<int64_t>(count_, 1));
  }
  return variance;
}

}  // namespace lockstep
