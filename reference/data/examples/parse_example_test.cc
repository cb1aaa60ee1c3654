// Expected values, and bytes: TensorFlow 2.21.
#include "reference/data/examples/parse_example.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reference/base/file_testing.h"
#include "reference/data/dataset_testing.h"
#include "reference/data/tf_record_writer.h"

namespace lockstep {
namespace {

using Texts = std::vector<std::string>;

Structure First() {
  return Structure::Dict({{"a", Tensor::FromVector<int64_t>({1, 2})},
                          {"b", Tensor::FromVector<float>({0.5f})},
                          {"c", Tensor::FromVector<std::string>({"x", "y"})}});
}
Structure Second() {
  return Structure::Dict({{"a", Tensor::FromVector<int64_t>({3, -4})},
                          {"b", Tensor::Scalar<float>(1.5f)},
                          {"c", Tensor::FromVector<std::string>({"z"})}});
}

// Of the features of the first, of no features, of those of the second.
Tensor ThreeExamples() {
  return Tensor::FromVector<std::string>(
      {SerializeExample(First()), "", SerializeExample(Second())});
}

Tensor One(const Structure& features) {
  return Tensor::Scalar<std::string>(SerializeExample(features));
}

ExampleFeature Integers(const Shape& shape,
                        std::optional<Tensor> default_value = std::nullopt) {
  return FixedLenFeature{
      .shape = shape, .dtype = DType::kInt64, .default_value = default_value};
}

TEST(SerializeExampleTest, WritesTensorFlowsBytes) {
  const std::string bytes(
      "\x0a\x2b"
      "\x0a\x0b\x0a\x01"
      "a\x12\x06\x1a\x04\x0a\x02\x01\x02"
      "\x0a\x0d\x0a\x01"
      "b\x12\x08\x12\x06\x0a\x04\x00\x00\x00\x3f"
      "\x0a\x0d\x0a\x01"
      "c\x12\x08\x0a\x06\x0a\x01x\x0a\x01y",
      45);
  EXPECT_EQ(SerializeExample(First()), bytes);
}

TEST(SerializeExampleTest, RefusesWhatIsNoFeature) {
  ExpectError([] { SerializeExample(Tensor::Scalar<float>(1)); },
              Code::kInvalidArgument,
              "[SerializeExample] wanted a dictionary of features");
  ExpectError(
      [] {
        SerializeExample(Structure::Dict({{"n", Tensor::Scalar<int32_t>(1)}}));
      },
      Code::kInvalidArgument,
      "[SerializeExample] feature 'n' cannot be int32 ()");
  ExpectError(
      [] {
        SerializeExample(Structure::Dict({{"n", Structure::Tuple({})}}));
      },
      Code::kInvalidArgument, "feature 'n' must be a tensor");
}

TEST(ParseExampleTest, TakesTheDefaultOfAMissingFeature) {
  const Tensor seven = Tensor::FromVector<int64_t>({7, 8});
  EXPECT_EQ(
      ToText(ParseExample(ThreeExamples(), {{"a", Integers({2}, seven)}})),
      "{a: [[1, 2], [7, 8], [3, -4]]}");
  EXPECT_EQ(
      ToText(ParseExample(
          ThreeExamples(),
          {{"b", FixedLenFeature{.default_value = Tensor::Scalar(-1.0f)}}})),
      "{b: [0.5, -1, 1.5]}");
}

TEST(ParseExampleTest, VariableLengthsAreRagged) {
  EXPECT_EQ(ToText(ParseExample(ThreeExamples(),
                                {{"c", VarLenFeature{DType::kString}}})),
            "{c: {row_splits: [0, 2, 2, 3], values: ['x', 'y', 'z']}}");
}

TEST(ParseExampleTest, SequencesArePadded) {
  const Tensor nine = Tensor::Scalar<int64_t>(9);
  const Tensor messages = Tensor::FromVector<std::string>(
      {SerializeExample(First()),
       SerializeExample(
           Structure::Dict({{"a", Tensor::FromVector<int64_t>({1, 2, 3, 4})}})),
       ""});
  EXPECT_EQ(
      ToText(ParseExample(
          messages,
          {{"a", FixedLenSequenceFeature{Shape{2}, DType::kInt64, nine}}})),
      "{a: [[[1, 2], [9, 9]], [[1, 2], [3, 4]], [[9, 9], [9, 9]]]}");
  EXPECT_EQ(ToText(ParseExample(
                ThreeExamples(),
                {{"c", FixedLenSequenceFeature{.dtype = DType::kString}}})),
            "{c: [['x', 'y'], ['', ''], ['z', '']]}");
}

TEST(ParseExampleTest, ABatchMayBeEmpty) {
  const Structure parsed = ParseExample(Tensor::FromVector<std::string>({}),
                                        {{"a", Integers({2})},
                                         {"r", VarLenFeature{DType::kInt64}},
                                         {"s", FixedLenSequenceFeature{}}});
  EXPECT_EQ(parsed["a"].leaf().shape(), (Shape{0, 2}));
  EXPECT_EQ(ToText(parsed["r"]), "{row_splits: [0], values: []}");
  EXPECT_EQ(parsed["s"].leaf().shape(), (Shape{0, 0}));
}

TEST(ParseSingleExampleTest, GivesTensorsOfItsOwnLength) {
  const Structure parsed = ParseSingleExample(
      One(First()),
      {{"a", Integers({2})},
       {"b", FixedLenFeature{}},
       {"c", VarLenFeature{DType::kString}},
       {"none", FixedLenSequenceFeature{Shape{2}, DType::kInt64}}});
  EXPECT_EQ(ToText(Structure::Tuple({parsed["a"], parsed["b"], parsed["c"]})),
            "([1, 2], 0.5, ['x', 'y'])");
  EXPECT_EQ(parsed["none"].leaf().shape(), (Shape{0, 2}));
}

TEST(ParseExampleTest, AMissingFeatureWithoutADefaultIsAnError) {
  ExpectError(
      [] {
        ParseExample(ThreeExamples(), {{"a", Integers({2})}});
      },
      Code::kInvalidArgument,
      "[ParseExample] feature 'a' of element 1 is missing, and there is no "
      "default");
  ExpectError(
      [] {
        ParseSingleExample(One(Second()), {{"n", Integers({2})}});
      },
      Code::kInvalidArgument, "[ParseExample] feature 'n' is missing");
}

TEST(ParseExampleTest, AnotherNumberOfValuesIsAnError) {
  ExpectError(
      [] {
        ParseSingleExample(One(First()), {{"a", Integers({3})}});
      },
      Code::kInvalidArgument,
      "[ParseExample] feature 'a' has 2 values, wanted 3, the shape "
      "(3,)");
  ExpectError(
      [] {
        ParseSingleExample(One(First()), {{"a", Integers({})}});
      },
      Code::kInvalidArgument, "has 2 values, wanted 1, the shape ()");
  ExpectError(
      [] {
        ParseSingleExample(
            One(First()),
            {{"a", FixedLenSequenceFeature{Shape{3}, DType::kInt64}}});
      },
      Code::kInvalidArgument, "has 2 values, wanted a multiple of 3");
  // A list without values is not a missing feature.
  const Tensor none =
      One(Structure::Dict({{"a", Tensor::FromVector<int64_t>({})}}));
  ExpectError(
      [&] {
        ParseSingleExample(
            none, {{"a", Integers({2}, Tensor::FromVector<int64_t>({5, 6}))}});
      },
      Code::kInvalidArgument, "has 0 values, wanted 2");
}

TEST(ParseExampleTest, AnotherTypeIsAnError) {
  ExpectError(
      [] {
        ParseExample(ThreeExamples(), {{"c", VarLenFeature{DType::kInt64}}});
      },
      Code::kInvalidArgument,
      "[ParseExample] feature 'c' of element 0 is string, wanted int64");
  ExpectError(
      [] {
        ParseSingleExample(One(First()),
                           {{"a", FixedLenFeature{.shape = Shape{2}}}});
      },
      Code::kInvalidArgument, "feature 'a' is int64, wanted float32");
}

TEST(ParseExampleTest, OtherBytesAreAnError) {
  const std::string whole = SerializeExample(First());
  ExpectError(
      [&] {
        ParseSingleExample(
            Tensor::Scalar<std::string>(whole.substr(0, whole.size() - 1)),
            {{"a", Integers({2})}});
      },
      Code::kInvalidArgument,
      "[ParseExample] the element of 44 bytes is no tf.train.Example message");
  ExpectError(
      [&] {
        ParseExample(Tensor::FromVector<std::string>({whole, "\xff\xff"}),
                     {{"a", Integers({2})}});
      },
      Code::kInvalidArgument, "element 1 of 2 bytes is no");
}

// A feature without a kind, as TensorFlow writes an empty Feature.
TEST(ParseExampleTest, AFeatureWithoutAKindIsMissing) {
  const Tensor message =
      Tensor::Scalar<std::string>(std::string("\x0a\x07\x0a\x05\x0a\x01"
                                              "a\x12\x00",
                                              9));
  EXPECT_EQ(ToText(ParseSingleExample(
                message,
                {{"a", Integers({2}, Tensor::FromVector<int64_t>({5, 6}))}})),
            "{a: [5, 6]}");
  EXPECT_EQ(ToText(ParseSingleExample(message,
                                      {{"a", VarLenFeature{DType::kInt64}}})),
            "{a: []}");
}

TEST(ParseExampleTest, RefusesFeaturesThatNoExampleHas) {
  const auto refuses = [](const ExampleFeature& feature,
                          const std::string& message) {
    ExpectError(
        [&] {
          ParseExampleSpec({{"f", feature}});
        },
        Code::kInvalidArgument, message);
    ExpectError(
        [&] {
          ParseExample(ThreeExamples(), {{"f", feature}});
        },
        Code::kInvalidArgument, message);
  };
  refuses(FixedLenFeature{.dtype = DType::kInt32}, "'f' cannot be int32");
  refuses(VarLenFeature{DType::kBool}, "'f' cannot be bool");
  refuses(Integers({kUnknownDim}), "'f' needs a known shape");
  refuses(Integers({2}, Tensor::Scalar<int64_t>(1)),
          "the default of feature 'f' must be int64 (2,), got int64 ()");
  refuses(FixedLenSequenceFeature{.shape = Shape{0}},
          "'f' cannot have parts of the shape (0,)");
  ExpectError([] { ParseExampleSpec({}); }, Code::kInvalidArgument,
              "there is no feature to read");
  ExpectError(
      [] {
        ParseExample(One(First()), {{"a", Integers({2})}});
      },
      Code::kInvalidArgument,
      "[ParseExample] wanted a vector of strings, got string ()");
  ExpectError(
      [] {
        ParseSingleExample(ThreeExamples(), {{"a", Integers({2})}});
      },
      Code::kInvalidArgument,
      "[ParseSingleExample] wanted one string, got string (3,)");
}

TEST(ParseExampleTest, SpecsSayWhatComes) {
  const ExampleFeatures features = {
      {"a", Integers({2})},
      {"c", VarLenFeature{DType::kString}},
      {"s", FixedLenSequenceFeature{.shape = Shape{3}}}};
  EXPECT_EQ(ToString(ParseExampleSpec(features)),
            "{'a': int64 (None, 2), 'c': {'row_splits': int64 (None,), "
            "'values': string (None,)}, 's': float32 (None, None, 3)}");
  EXPECT_EQ(ToString(ParseSingleExampleSpec(features)),
            "{'a': int64 (2,), 'c': string (None,), 's': float32 (None, 3)}");
}

TEST(ParseExampleTest, ReadsRecordFilesInAPipeline) {
  const TestFolder folder;
  const std::string file = folder / "train.tfrecord";
  TFRecordWriter writer(file);
  writer.Write(SerializeExample(First()));
  writer.Write(SerializeExample(Second()));
  writer.Close();
  const ExampleFeatures features = {{"a", Integers({2})},
                                    {"c", VarLenFeature{DType::kString}}};
  const Dataset records = Dataset::FromTFRecords({file});
  const auto parse_one = [=](const Structure& record) {
    return ParseSingleExample(record, features);
  };
  EXPECT_EQ(ReadAll(records.Map(parse_one, ParseSingleExampleSpec(features))),
            (Texts{"{a: [1, 2], c: ['x', 'y']}", "{a: [3, -4], c: ['z']}"}));
  const auto parse = [=](const Structure& batch) {
    return ParseExample(batch, features);
  };
  EXPECT_EQ(ReadAll(records.Batch(2).Map(parse, ParseExampleSpec(features))),
            (Texts{"{a: [[1, 2], [3, -4]], c: {row_splits: [0, 2, 3], values: "
                   "['x', 'y', 'z']}}"}));
}

}  // namespace
}  // namespace lockstep
