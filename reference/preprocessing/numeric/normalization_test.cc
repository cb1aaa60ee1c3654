// Expected values: Keras 3.15.1, unless a test says otherwise.
#include "reference/preprocessing/numeric/normalization.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/base/error_testing.h"
#include "reference/layers/layer_config.h"
#include "reference/preprocessing/numeric/columns.h"

namespace lockstep {
namespace {

using Floats = std::vector<float>;

// 0, 1, 4, 9, ... as [3, 2, 2].
Tensor Squares() {
  Floats squares;
  for (int i = 0; i < 12; ++i) squares.push_back(static_cast<float>(i * i));
  return Tensor::FromVector(squares, Shape{3, 2, 2});
}

Tensor Column(const Floats& values) {
  return Tensor::FromVector(values,
                            Shape{static_cast<int64_t>(values.size()), 1});
}

void ExpectNear(const Tensor& got, const Floats& wanted) {
  const Floats values = got.ToVector<float>();
  ASSERT_EQ(values.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    // A few roundings of numbers up to 3.
    EXPECT_NEAR(values[i], wanted[i], 5e-7) << i;
  }
}

TEST(NormalizationTest, AdaptsToATensor) {
  const Normalization layer;
  layer.Adapt(Column({1, 2, 3, 6}));
  ASSERT_EQ(layer.variables().size(), 3u);
  EXPECT_EQ(layer.variables()[0]->Read().ToVector<float>(), Floats{3});
  EXPECT_EQ(layer.variables()[1]->Read().ToVector<float>(), Floats{3.5});
  // As Keras 2 does; Keras 3 leaves it at 0.
  EXPECT_EQ(layer.variables()[2]->Read().item<int64_t>(), 4);
  ExpectNear(layer(Column({2, 9})), {-0.5345224738121033f, 3.20713472366333f});
}

TEST(NormalizationTest, SeveralAxes) {
  const Tensor x = Tensor::FromVector<float>({0, 1, 2, 3}, Shape{1, 2, 2});
  const Normalization last_two({.axis = {-1, 1}});
  last_two.Adapt(Squares());
  ExpectNear(last_two(x), {-0.9805806279182434f, -1.034224510192871f,
                           -1.1191564798355103f, -1.2228000164031982f});
  const Normalization second({.axis = {1}});
  second.Adapt(Squares());
  ExpectNear(second(x), {-1.0102206468582153f, -0.9778071641921997f,
                         -1.1700100898742676f, -1.1471433639526367f});
  const Normalization none({.axis = {}});
  none.Adapt(Squares());
  ExpectNear(none(x), {-1.0699516534805298f, -1.0445773601531982f,
                       -1.0192029476165771f, -0.9938285946846008f});
}

TEST(NormalizationTest, InvertsIt) {
  const Normalization layer({.axis = {}, .invert = true});
  layer.Adapt(Tensor::FromVector<float>({1, 2, 3, 6}));
  ExpectNear(layer(Tensor::FromVector<float>({0, 1, -1})),
             {3, 4.870828628540039f, 1.1291712522506714f});
}

TEST(NormalizationTest, GivenMoments) {
  const Normalization layer({.mean = Tensor::FromVector<float>({1, 2}),
                             .variance = Tensor::FromVector<float>({4, 0})});
  const Tensor x = Tensor::FromVector<float>({3, 2, 5, 4}, Shape{2, 2});
  // A deviation of 0 counts as 1e-7.
  EXPECT_EQ(layer(x).ToVector<float>(), (Floats{1, 0, 2, 2e7f}));
  EXPECT_TRUE(layer.variables().empty());
  const Normalization scalar(
      {.mean = Tensor::Scalar(3.0f), .variance = Tensor::Scalar(4.0f)});
  EXPECT_EQ(scalar(x).ToVector<float>(), (Floats{0, -0.5, 1, 0.5}));
}

TEST(NormalizationTest, GivenMomentsOfTheLastAxes) {
  const Normalization layer({.axis = {1, 2},
                             .mean = Tensor::FromVector<float>({1, 2}),
                             .variance = Tensor::FromVector<float>({1, 4})});
  const Tensor x = Tensor::FromVector<float>({2, 4, 5, 6}, Shape{1, 2, 2});
  EXPECT_EQ(layer(x).ToVector<float>(), (Floats{1, 1, 4, 2}));
}

TEST(NormalizationTest, BeforeAdaptReturnsItsInput) {
  EXPECT_EQ(Normalization()(Column({1, 2})).ToVector<float>(), (Floats{1, 2}));
}

TEST(NormalizationTest, CastsIntegers) {
  const Normalization layer;
  layer.Adapt(Tensor::FromVector<int64_t>({1, 5}, Shape{2, 1}));
  const Tensor y = layer(Tensor::FromVector<int32_t>({7}, Shape{1, 1}));
  EXPECT_EQ(y.dtype(), DType::kFloat32);
  EXPECT_EQ(y.ToVector<float>(), Floats{2});
}

TEST(NormalizationTest, DatasetsOfBatchesPairsAndRows) {
  const Tensor x = Column({1, 2, 3, 6});
  const Dataset rows = Dataset::FromTensorSlices(x);
  const Dataset pairs = Dataset::FromTensorSlices({x, Tensor::Zeros(Shape{4})});
  for (const Dataset& data :
       {rows, rows.Batch(3), pairs, pairs.Batch(2), rows.Batch(4)}) {
    const Normalization layer;
    layer.Adapt(data);
    EXPECT_EQ(layer.variables()[0]->Read().ToVector<float>(), Floats{3});
    EXPECT_EQ(layer.variables()[1]->Read().ToVector<float>(), Floats{3.5});
  }
}

TEST(NormalizationTest, MergedPartsEqualTheWhole) {
  const Normalization whole, parts;
  const Tensor x = Squares();
  whole.Adapt(x);
  Moments moments = parts.MomentsOf(x.Slice(0, 1));
  EXPECT_EQ(parts.variables()[2]->Read().item<int64_t>(), 0);
  moments.Merge(
      parts.MomentsOf(Dataset::FromTensorSlices(x.Slice(1, 3)).Batch(1)));
  parts.Adopt(moments);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(parts.variables()[i]->Read().ToVector<float>(),
              whole.variables()[i]->Read().ToVector<float>());
  }
}

TEST(NormalizationTest, NewMomentsReachOlderDatasets) {
  // Unlike Keras 3, where the function keeps the old moments.
  const Normalization layer;
  layer.Adapt(Column({0, 2}));
  const Dataset mapped =
      Dataset::FromTensors(Column({9})).Map([&](const Structure& x) {
        return layer(x);
      });
  EXPECT_EQ(mapped.MakeIterator().GetNext().leaf().item<float>(), 8);
  layer.Adapt(Column({7, 9}));
  EXPECT_EQ(mapped.MakeIterator().GetNext().leaf().item<float>(), 1);
}

TEST(NormalizationTest, GradientIsOneByTheDeviation) {
  const Normalization layer;
  layer.Adapt(Column({1, 5}));
  const Tensor x = Column({7, 8});
  GradientTape tape;
  tape.Watch(x);
  const Tensor y = layer(x);
  EXPECT_EQ(tape.Gradient(y, std::vector<Tensor>{x})[0]->ToVector<float>(),
            (Floats{0.5, 0.5}));
  EXPECT_TRUE(layer.trainable_variables().empty());
}

TEST(NormalizationTest, RefusesNoData) {
  const Normalization layer;
  const Tensor none = Tensor::Zeros(Shape{0, 1});
  for (const Dataset& data :
       {Dataset::FromTensors(none), Dataset::FromTensorSlices(none)}) {
    ExpectError([&] { layer.Adapt(data); }, Code::kInvalidArgument,
                "there is no data");
  }
  ExpectError([&] { layer.Adapt(none); }, Code::kInvalidArgument,
              "there is no data");
}

TEST(NormalizationTest, RefusesDataThatDoesNotFit) {
  const Normalization layer;
  layer.Adapt(Column({1, 5}));
  const auto refuses = [&](const Dataset& data, const std::string& words) {
    ExpectError([&] { layer.Adapt(data); }, Code::kInvalidArgument, words);
  };
  refuses(Dataset::FromTensors(Tensor::Zeros(Shape{4, 2})),
          "was built for sizes (1,) of axis [-1], got (4, 2)");
  refuses(Dataset::Range(3).Batch(1).Repeat(), "the dataset has no end");
  refuses(Dataset::Range(3), "got ()");
  refuses(Dataset::FromTensors(Tensor::FromVector<std::string>({"a"})),
          "must be tensors of numbers");
  EXPECT_EQ(layer.variables()[0]->Read().ToVector<float>(), Floats{3});
  EXPECT_EQ(CodeOf([&] {
              layer(Tensor::Zeros(Shape{4, 2}));
            }),
            Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([&] {
              layer(Tensor::FromVector<std::string>({"a"}, Shape{1, 1}));
            }),
            Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([&] {
              layer.Adapt(Tensor::FromVector<std::string>({"a"}, Shape{1, 1}));
            }),
            Code::kInvalidArgument);
}

TEST(NormalizationTest, RefusesRowsOfDifferentLength) {
  int row = 0;
  const Dataset rows = Dataset::FromGenerator(
      [&]() -> Generator {
        return [&]() -> std::optional<Structure> {
          if (row == 3) return std::nullopt;
          return Structure(Tensor::Zeros(Shape{row++ < 2 ? 2 : 1}));
        };
      },
      TensorSpec{Shape{kUnknownDim}, DType::kFloat32});
  ExpectError([&] { Normalization().Adapt(rows); }, Code::kInvalidArgument,
              "was built for sizes (2,)");
}

TEST(NormalizationTest, RefusesWrongOptions) {
  const Tensor one = Tensor::Scalar(1.0f);
  const Tensor two = Tensor::FromVector<float>({1, 2});
  ExpectError([&] { Normalization({.mean = one}); }, Code::kInvalidArgument,
              "only the mean was");
  ExpectError([&] { Normalization({.mean = one, .variance = two}); },
              Code::kInvalidArgument, "must have one shape");
  EXPECT_EQ(CodeOf([&] {
              Normalization({.axis = {}, .mean = two, .variance = two});
            }),
            Code::kInvalidArgument);
  for (const std::vector<int>& axis :
       std::vector<std::vector<int>>{{0}, {3}, {-4}, {1, -2}}) {
    EXPECT_EQ(CodeOf([&] { Normalization({.axis = axis})(Squares()); }),
              Code::kInvalidArgument);
  }
  const Normalization given({.mean = one, .variance = one});
  ExpectError([&] { given.Adapt(two); }, Code::kFailedPrecondition,
              "was made with a mean");
}

TEST(NormalizationTest, RefusesMomentsOfOtherColumns) {
  const Normalization layer;
  EXPECT_EQ(CodeOf([&] { layer.Adopt(Moments(1)); }),
            Code::kFailedPrecondition);
  layer.Build(Shape{kUnknownDim, 2});
  ExpectError([&] { layer.Adopt(Moments(1)); }, Code::kInvalidArgument,
              "has 2 columns, got moments of 1");
}

TEST(NormalizationTest, Config) {
  LayerConfig config = Normalization({.axis = {}}).impl().Config();
  EXPECT_EQ(config.class_name, "Normalization");
  EXPECT_EQ(config.config["axis"], Json::array());
  EXPECT_EQ(config.config["invert"], false);
  EXPECT_EQ(config.config["mean"], nullptr);
  EXPECT_EQ(config.config["variance"], nullptr);
  const Tensor moments = Tensor::FromVector<float>({1, 2, 3, 4}, Shape{2, 2});
  config = Normalization({.axis = {1, 2},
                          .mean = moments,
                          .variance = moments,
                          .invert = true})
               .impl()
               .Config();
  EXPECT_EQ(config.config["axis"], Json::parse("[1, 2]"));
  EXPECT_EQ(config.config["invert"], true);
  EXPECT_EQ(config.config["mean"], Json::parse("[[1.0, 2.0], [3.0, 4.0]]"));
}

TEST(ColumnsTest, AxesInAnyPlace) {
  std::vector<float> numbers(24);
  std::iota(numbers.begin(), numbers.end(), 0);
  const Tensor x = Tensor::FromVector(numbers, Shape{2, 3, 4});
  using preprocessing_internal::ToColumns;
  EXPECT_TRUE(ToColumns(x, std::vector{2}).SharesMemoryWith(x));
  EXPECT_EQ(ToColumns(x, std::vector{1, 2}).shape(), (Shape{2, 12}));
  const Tensor middle = ToColumns(x, std::vector{1});
  EXPECT_EQ(middle.shape(), (Shape{8, 3}));
  EXPECT_EQ(middle.Slice(3, 5).ToVector<float>(),
            (Floats{3, 7, 11, 12, 16, 20}));
  const Tensor outer = ToColumns(x.Cast(DType::kInt32), std::vector{0, 2});
  EXPECT_EQ(outer.dtype(), DType::kFloat64);
  EXPECT_EQ(outer.Row(1).ToVector<double>(),
            (std::vector<double>{4, 5, 6, 7, 16, 17, 18, 19}));
}

}  // namespace
}  // namespace lockstep
