#include "reference/data/examples/parse_example.h"

#include <fmt/core.h>
#include <google/protobuf/arena.h>

#include <algorithm>
#include <climits>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/data/examples/example.pb.h"
#include "reference/data/examples/example_values.h"
#include "reference/data/ragged/ragged.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep {
namespace {

using examples_internal::FeatureName;
using examples_internal::ValuesOf;

// One feature of all messages.
class Column {
 public:
  virtual ~Column() = default;
  // `feature` is nullptr if the message has none.
  virtual void Add(const FeatureName& name,
                   const examples::Feature* feature) = 0;
  // For all messages that were added.
  virtual Structure Batch() = 0;
  // For the only message that was added.
  virtual Structure Single() = 0;
};

template <typename T>
class FixedColumn final : public Column {
 public:
  FixedColumn(const FixedLenFeature& wanted, int64_t count)
      : wanted_(wanted),
        batch_(EmptyOnHost(wanted.shape.Prepend(count), wanted.dtype)),
        to_(batch_.mutable_data<T>()) {}

  void Add(const FeatureName& name, const examples::Feature* feature) override {
    const auto values = ValuesOf<T>(name, feature);
    const int64_t size = wanted_.shape.num_elements();
    if (!values) return AddDefault(name);
    if (values->size() != size) {
      throw InvalidArgument("{} has {} values, wanted {}, the shape {}",
                            name.Text(), values->size(), size,
                            ToString(wanted_.shape));
    }
    to_ = std::copy(values->begin(), values->end(), to_);
  }
  Structure Batch() override { return batch_; }
  Structure Single() override { return batch_.Row(0); }

 private:
  void AddDefault(const FeatureName& name) {
    if (!wanted_.default_value) {
      throw InvalidArgument("{} is missing, and there is no default",
                            name.Text());
    }
    const std::span<const T> values = wanted_.default_value->span<T>();
    to_ = std::copy(values.begin(), values.end(), to_);
  }

  const FixedLenFeature& wanted_;
  Tensor batch_;
  T* to_;
};

// Values one message after another.
template <typename T>
struct Rows {
  std::vector<T> values;
  std::vector<int64_t> splits = {0};

  int64_t Add(const FeatureName& name, const examples::Feature* feature) {
    int64_t count = 0;
    if (const auto added = ValuesOf<T>(name, feature)) {
      count = added->size();
      values.insert(values.end(), added->begin(), added->end());
    }
    splits.push_back(std::ssize(values));
    return count;
  }
  Tensor Values() const {
    return Tensor::FromVector<T>(values, Shape{std::ssize(values)},
                                 CurrentHost());
  }
};

template <typename T>
class RaggedColumn final : public Column {
 public:
  void Add(const FeatureName& name, const examples::Feature* feature) override {
    rows_.Add(name, feature);
  }
  Structure Batch() override {
    return MakeRagged(
        rows_.Values(),
        Tensor::FromVector<int64_t>(
            rows_.splits, Shape{std::ssize(rows_.splits)}, CurrentHost()));
  }
  Structure Single() override { return rows_.Values(); }

 private:
  Rows<T> rows_;
};

template <typename T>
class SequenceColumn final : public Column {
 public:
  explicit SequenceColumn(const FixedLenSequenceFeature& wanted)
      : wanted_(wanted), part_(wanted.shape.num_elements()) {}

  void Add(const FeatureName& name, const examples::Feature* feature) override {
    const int64_t count = rows_.Add(name, feature);
    if (count % part_ == 0) {
      longest_ = std::max(longest_, count / part_);
      return;
    }
    throw InvalidArgument(
        "{} has {} values, wanted a multiple of {}, the shape {}", name.Text(),
        count, part_, ToString(wanted_.shape));
  }
  Structure Batch() override {
    const int64_t count = std::ssize(rows_.splits) - 1;
    const T padding =
        wanted_.default_value ? wanted_.default_value->at<T>(0) : T();
    Tensor batch = Tensor::Full<T>(
        wanted_.shape.Prepend(longest_).Prepend(count), padding, CurrentHost());
    for (int64_t row = 0; row < count; ++row) {
      std::copy(rows_.values.begin() + rows_.splits[row],
                rows_.values.begin() + rows_.splits[row + 1],
                batch.mutable_data<T>() + row * longest_ * part_);
    }
    return batch;
  }
  Structure Single() override { return Batch().leaf().Row(0); }

 private:
  const FixedLenSequenceFeature& wanted_;
  int64_t part_;
  int64_t longest_ = 0;
  Rows<T> rows_;
};

// Calls body.operator()<T>() for the types that features have.
template <typename Body>
auto VisitType(DType dtype, const Body& body) {
  if (dtype == DType::kInt64) return body.template operator()<int64_t>();
  if (dtype == DType::kString) return body.template operator()<std::string>();
  return body.template operator()<float>();
}

std::unique_ptr<Column> MakeColumn(const FixedLenFeature& wanted,
                                   int64_t count) {
  return VisitType(wanted.dtype, [&]<typename T>() -> std::unique_ptr<Column> {
    return std::make_unique<FixedColumn<T>>(wanted, count);
  });
}
std::unique_ptr<Column> MakeColumn(const VarLenFeature& wanted, int64_t) {
  return VisitType(wanted.dtype, []<typename T>() -> std::unique_ptr<Column> {
    return std::make_unique<RaggedColumn<T>>();
  });
}
std::unique_ptr<Column> MakeColumn(const FixedLenSequenceFeature& wanted,
                                   int64_t) {
  return VisitType(wanted.dtype, [&]<typename T>() -> std::unique_ptr<Column> {
    return std::make_unique<SequenceColumn<T>>(wanted);
  });
}

void CheckType(const std::string& name, DType dtype) {
  if (dtype == DType::kFloat32 || dtype == DType::kInt64 ||
      dtype == DType::kString) {
    return;
  }
  throw InvalidArgument(
      "[ParseExample] feature '{}' cannot be {}: features are float32, int64 "
      "or string; cast it afterwards",
      name, DTypeName(dtype));
}

void CheckDefault(const std::string& name,
                  const std::optional<Tensor>& default_value,
                  const TensorSpec& wanted) {
  if (!default_value || SpecOf(*default_value) == wanted) return;
  throw InvalidArgument(
      "[ParseExample] the default of feature '{}' must be {}, got {}", name,
      ToString(wanted), Describe(*default_value));
}

void CheckShape(const std::string& name, const Shape& shape) {
  if (shape.fully_defined() && shape.rank() < Shape::kMaxRank - 1) return;
  throw InvalidArgument(
      "[ParseExample] feature '{}' needs a known shape of at most {} "
      "dimensions, got {}; VarLenFeature takes any number of values",
      name, Shape::kMaxRank - 2, ToString(shape));
}

void CheckFeature(const std::string& name, const FixedLenFeature& wanted) {
  CheckType(name, wanted.dtype);
  CheckShape(name, wanted.shape);
  CheckDefault(name, wanted.default_value, {wanted.shape, wanted.dtype});
}
void CheckFeature(const std::string& name, const VarLenFeature& wanted) {
  CheckType(name, wanted.dtype);
}
void CheckFeature(const std::string& name,
                  const FixedLenSequenceFeature& wanted) {
  CheckType(name, wanted.dtype);
  CheckShape(name, wanted.shape);
  CheckDefault(name, wanted.default_value, {Shape{}, wanted.dtype});
  if (wanted.shape.num_elements() > 0) return;
  throw InvalidArgument(
      "[ParseExample] feature '{}' cannot have parts of the shape {}, without "
      "a value",
      name, ToString(wanted.shape));
}

void CheckFeatures(const ExampleFeatures& features) {
  if (features.empty()) {
    throw InvalidArgument("[ParseExample] there is no feature to read");
  }
  for (const auto& [name, feature] : features) {
    std::visit(
        [&, &name = name](const auto& wanted) { CheckFeature(name, wanted); },
        feature);
  }
}

using Columns = std::vector<std::pair<std::string, std::unique_ptr<Column>>>;

Columns MakeColumns(const ExampleFeatures& features, int64_t count) {
  CheckFeatures(features);
  Columns columns;
  for (const auto& [name, feature] : features) {
    columns.emplace_back(
        name, std::visit(
                  [&](const auto& wanted) { return MakeColumn(wanted, count); },
                  feature));
  }
  return columns;
}

// `index` is that of the message in a batch; nothing for a single one.
void AddMessage(const std::string& bytes, std::optional<int64_t> index,
                Columns& columns) {
  google::protobuf::Arena arena;
  auto* example =
      google::protobuf::Arena::CreateMessage<examples::Example>(&arena);
  if (bytes.size() > INT_MAX || !example->ParseFromString(bytes)) {
    throw InvalidArgument(
        "[ParseExample] {} of {} bytes is no tf.train.Example message",
        index ? fmt::format("element {}", *index) : "the element",
        bytes.size());
  }
  const auto& features = example->features().feature();
  for (auto& [name, column] : columns) {
    const auto found = features.find(name);
    column->Add({name, index},
                found == features.end() ? nullptr : &found->second);
  }
}

void CheckSerialized(const char* operation, const Tensor& serialized,
                     int rank) {
  if (serialized.dtype() == DType::kString && serialized.rank() == rank) return;
  throw InvalidArgument("[{}] wanted {}, got {}; {}", operation,
                        rank == 0 ? "one string" : "a vector of strings",
                        Describe(serialized),
                        rank == 0 ? "ParseExample takes a batch"
                                  : "ParseSingleExample takes a scalar");
}

Structure Packed(Columns& columns, Structure (Column::*finish)()) {
  std::vector<std::pair<std::string, Structure>> items;
  for (auto& [name, column] : columns) {
    items.emplace_back(name, ((*column).*finish)());
  }
  return Structure::Dict(std::move(items));
}

TensorSpec SpecOfSingle(const FixedLenFeature& wanted) {
  return {wanted.shape, wanted.dtype};
}
TensorSpec SpecOfSingle(const VarLenFeature& wanted) {
  return {Shape{kUnknownDim}, wanted.dtype};
}
TensorSpec SpecOfSingle(const FixedLenSequenceFeature& wanted) {
  return {wanted.shape.Prepend(kUnknownDim), wanted.dtype};
}

SpecStructure SpecOfBatch(const ExampleFeature& feature) {
  const TensorSpec single = std::visit(
      [](const auto& wanted) { return SpecOfSingle(wanted); }, feature);
  if (std::holds_alternative<VarLenFeature>(feature)) {
    return SpecStructure::Dict(
        {{"row_splits", TensorSpec{Shape{kUnknownDim}, DType::kInt64}},
         {"values", single}});
  }
  return TensorSpec{single.shape.Prepend(kUnknownDim), single.dtype};
}

}  // namespace

Structure ParseExample(const Tensor& serialized,
                       const ExampleFeatures& features) {
  CheckSerialized("ParseExample", serialized, /*rank=*/1);
  Columns columns = MakeColumns(features, serialized.dim(0));
  int64_t index = 0;
  for (const std::string& bytes : serialized.span<std::string>()) {
    AddMessage(bytes, index++, columns);
  }
  return Packed(columns, &Column::Batch);
}

Structure ParseSingleExample(const Tensor& serialized,
                             const ExampleFeatures& features) {
  CheckSerialized("ParseSingleExample", serialized, /*rank=*/0);
  Columns columns = MakeColumns(features, 1);
  AddMessage(serialized.item<std::string>(), std::nullopt, columns);
  return Packed(columns, &Column::Single);
}

SpecStructure ParseExampleSpec(const ExampleFeatures& features) {
  CheckFeatures(features);
  std::vector<std::pair<std::string, SpecStructure>> items;
  for (const auto& [name, feature] : features) {
    items.emplace_back(name, SpecOfBatch(feature));
  }
  return SpecStructure::Dict(std::move(items));
}

SpecStructure ParseSingleExampleSpec(const ExampleFeatures& features) {
  CheckFeatures(features);
  std::vector<std::pair<std::string, SpecStructure>> items;
  for (const auto& [name, feature] : features) {
    items.emplace_back(
        name,
        std::visit([](const auto& wanted) { return SpecOfSingle(wanted); },
                   feature));
  }
  return SpecStructure::Dict(std::move(items));
}

}  // namespace lockstep
