#include "reference/training/batches/batch.h"

#include <utility>
#include <vector>

#include "reference/base/error.h"

namespace lockstep {

Batch TakeApart(const Structure& element) {
  if (element.kind() != NestKind::kTuple) return {.x = element};
  if (element.size() < 1 || element.size() > 3) {
    throw InvalidArgument(
        "[Fit] a batch is x, (x, y) or (x, y, sample_weight), got a tuple of "
        "{}; nest several inputs: ((a, b), y)",
        element.size());
  }
  Batch batch{.x = element[0]};
  if (element.size() > 1) batch.y = element[1];
  if (element.size() > 2) batch.sample_weight = element[2];
  return batch;
}

PerReplica<Batch> TakeApart(const PerReplica<Structure>& element) {
  return element.Map([](const Structure& part) { return TakeApart(part); });
}

Structure PutTogether(const Batch& batch) {
  std::vector<Structure> items{batch.x};
  if (batch.y) items.push_back(*batch.y);
  if (batch.sample_weight) items.push_back(*batch.sample_weight);
  return Structure::Tuple(std::move(items));
}

int64_t Rows(const Structure& structure) {
  std::optional<int64_t> rows;
  structure.ForEach([&](const Tensor& tensor) {
    if (tensor.rank() == 0) {
      throw InvalidArgument(
          "[Fit] axis 0 of a batch must be its examples, got {}",
          Describe(tensor));
    }
    if (!rows) rows = tensor.dim(0);
    if (*rows != tensor.dim(0)) {
      throw InvalidArgument(
          "[Fit] all tensors of a batch must have the same number of examples, "
          "got "
          "{} and {}",
          *rows, tensor.dim(0));
    }
  });
  if (!rows) throw InvalidArgument("[Fit] the batch has no tensors");
  return *rows;
}

}  // namespace lockstep
