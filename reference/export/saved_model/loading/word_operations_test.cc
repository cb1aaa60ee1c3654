// Operations on words, ids and choices. Expected values are computed by hand from
// TensorFlow's documentation of tf.raw_ops; bins are TensorFlow 2.21's.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/export/saved_model/loading/small_saved_model.h"
#include "reference/export/saved_model/loading/table.h"

namespace lockstep {
namespace {

using export_internal::Attributes;
using export_internal::BoolAttribute;
using export_internal::FloatsAttribute;
using export_internal::IntAttribute;
using export_internal::IntsAttribute;
using export_internal::Table;
using export_internal::TextAttribute;
using export_internal::TextsAttribute;
using export_internal::TypeAttribute;
using export_internal::TypeNumber;
using Words = std::vector<std::string>;
using Ids = std::vector<int64_t>;

template <typename T>
Tensor List(const std::vector<T>& values) {
  return Tensor::FromVector(values, Shape{std::ssize(values)}, Device::Host());
}

// Runs one operation on constants.
std::map<std::string, Tensor> RunNode(const std::string& op,
                                      Attributes attributes,
                                      const std::vector<Tensor>& inputs,
                                      Words outputs = {"output"}) {
  SmallSavedModel model;
  std::vector<std::string> names;
  for (const Tensor& input : inputs) {
    names.push_back(model.nodes().Constant(input));
  }
  const std::string first = model.nodes().Add(op, names, attributes, "");
  const std::string node = first.substr(0, first.find(':'));
  std::ranges::sort(outputs);  // as a function has its results
  for (const std::string& output : outputs) {
    model.Output(output, node + ":" + output + ":0");
  }
  return model.Load().Run({});
}

Tensor RunOne(const std::string& op, const Attributes& attributes,
              const std::vector<Tensor>& inputs) {
  return RunNode(op, attributes, inputs).at("output");
}

Attributes OfType(DType dtype, Attributes attributes = {}) {
  attributes.emplace_back("T", TypeAttribute(TypeNumber(dtype)));
  return attributes;
}

TEST(WordOperationsTest, LowerAndRemove) {
  EXPECT_EQ(RunOne("StringLower", {}, {List<std::string>({"ÄbC", ""})})
                .ToVector<std::string>(),
            (Words{"Äbc", ""}));
  const auto remove = [](const std::string& pattern, const std::string& word) {
    return RunOne("StaticRegexReplace",
                  {{"pattern", TextAttribute(pattern)},
                   {"rewrite", TextAttribute("")}},
                  {List<std::string>({word})})
        .ToVector<std::string>()[0];
  };
  // Keras' pattern for punctuation.
  EXPECT_EQ(remove(R"([!"#$%&()\*\+,-\./:;<=>?@\[\\\]^_`{|}~\'])",
                   R"(a!"#$%&()*+,-./:;<=>?@[\]^_`{|}~'b 9)"),
            "ab 9");
  EXPECT_EQ(remove("[a-c-]", "a-bd"), "d");
  for (const char* pattern : {"a+", "[^a]", "[\\d]", "[[:alpha:]]", "[a-z]+",
                              "[z-a]", "[]", "[a\\]", "[\xc3\xa9]"}) {
    ExpectError([&] { remove(pattern, "a"); }, Code::kUnimplemented,
                "is not a class of ASCII characters");
  }
}

TEST(WordOperationsTest, SplitsAtWhiteSpace) {
  const auto got = RunNode("StringSplitV2", {},
                           {List<std::string>({" b  a\t", "", "c"}),
                            Tensor::Scalar(std::string(), Device::Host())},
                           {"indices", "values", "shape"});
  EXPECT_EQ(got.at("values").ToVector<std::string>(), (Words{"b", "a", "c"}));
  EXPECT_EQ(got.at("indices").shape(), (Shape{3, 2}));
  EXPECT_EQ(got.at("indices").ToVector<int64_t>(), (Ids{0, 0, 0, 1, 2, 0}));
  EXPECT_EQ(got.at("shape").ToVector<int64_t>(), (Ids{3, 2}));
  ExpectError(
      [&] {
        RunNode("StringSplitV2", {},
                {List<std::string>({"a"}),
                 Tensor::Scalar(std::string(","), Device::Host())},
                {"values"});
      },
      Code::kInvalidArgument, "only at white space");
  ExpectError(
      [&] {
        RunNode("StringSplitV2", {},
                {List<std::string>({"a"}),
                 Tensor::Scalar(std::string(), Device::Host())},
                {"words"});
      },
      Code::kDataLoss, "node 'StringSplitV2' has no result words:0");
}

TEST(WordOperationsTest, JoinsNGrams) {
  const auto got =
      RunNode("StringNGrams", {{"ngram_widths", IntsAttribute({1, 2})}},
              {List<std::string>({"a", "b", "c"}), List<int64_t>({0, 2, 2, 3})},
              {"ngrams", "ngrams_splits"});
  EXPECT_EQ(got.at("ngrams").ToVector<std::string>(),
            (Words{"a", "b", "a b", "c"}));
  EXPECT_EQ(got.at("ngrams_splits").ToVector<int64_t>(), (Ids{0, 3, 3, 4}));
}

TEST(WordOperationsTest, Bins) {
  const Tensor a = List<std::string>({"a"});
  const Attributes bins = {{"num_buckets", IntAttribute(1000)}};
  EXPECT_EQ(RunOne("StringToHashBucketFast", bins, {a}).ToVector<int64_t>(),
            Ids{939});
  Attributes salted = bins;
  salted.emplace_back("key", IntsAttribute({133, 137}));
  EXPECT_EQ(RunOne("StringToHashBucketStrong", salted, {a}).ToVector<int64_t>(),
            Ids{354});
  EXPECT_EQ(
      RunOne("AsString", OfType(DType::kInt64), {List<int64_t>({-1, 1 << 30})})
          .ToVector<std::string>(),
      (Words{"-1", "1073741824"}));
  const auto crossed = RunNode("SparseCross",
                               {{"num_buckets", IntAttribute(5)},
                                {"hash_key", IntAttribute(0xDECAFCAFFE)},
                                {"hashed_output", BoolAttribute(true)}},
                               {List<std::string>({"A", "B"}).Reshape({2, 1}),
                                List<int64_t>({101, 101}).Reshape({2, 1})},
                               {"output_values", "output_shape"});
  EXPECT_EQ(crossed.at("output_values").ToVector<int64_t>(), (Ids{1, 4}));
  EXPECT_EQ(crossed.at("output_shape").ToVector<int64_t>(), (Ids{2, 1}));
}

TEST(WordOperationsTest, Characters) {
  const auto got = RunNode("UnicodeDecode", {},
                           {List<std::string>({"a\xc3\xa9", "", "\xff"})},
                           {"row_splits", "char_values"});
  EXPECT_EQ(got.at("row_splits").ToVector<int64_t>(), (Ids{0, 2, 2, 3}));
  EXPECT_EQ(got.at("char_values").ToVector<int32_t>(),
            (std::vector<int32_t>{'a', 0xe9, 0xfffd}));
  EXPECT_EQ(
      RunOne("UnicodeEncode", {},
             {List<int32_t>({'a', 0xe9, 0x20ac, 0x1f600, -1}),
              List<int64_t>({0, 2, 3, 4, 5})})
          .ToVector<std::string>(),
      (Words{"a\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xef\xbf\xbd"}));
}

const Tensor kSize = Tensor::Scalar(int64_t{3}, Device::Host());
const Tensor kNone = Tensor::Zeros(Shape{0}, DType::kInt64, Device::Host());

TEST(IdOperationsTest, Counts) {
  const Tensor ids = List<int64_t>({0, 2, 2, 7, 1, 1}).Reshape({2, 3});
  EXPECT_EQ(RunOne("DenseBincount", OfType(DType::kInt64), {ids, kSize, kNone})
                .ToVector<int64_t>(),
            (Ids{1, 0, 2, 0, 2, 0}));
  EXPECT_EQ(
      RunOne("DenseBincount",
             OfType(DType::kInt64, {{"binary_output", BoolAttribute(true)}}),
             {ids, kSize, kNone})
          .ToVector<int64_t>(),
      (Ids{1, 0, 1, 0, 1, 0}));
  EXPECT_EQ(RunOne("DenseBincount", OfType(DType::kFloat32),
                   {List<int64_t>({0, 2, 2}), kSize, List<float>({0.5f, 1, 2})})
                .ToVector<float>(),
            (std::vector<float>{0.5f, 0, 3}));
  EXPECT_EQ(RunOne("RaggedBincount", OfType(DType::kInt64),
                   {List<int64_t>({0, 2, 2, 3}), List<int64_t>({0, 2, 2}),
                    kSize, kNone})
                .ToVector<int64_t>(),
            (Ids{1, 0, 1, 0, 0, 0, 0, 0, 1}));
  ExpectError(
      [&] {
        RunOne("DenseBincount", OfType(DType::kInt64),
               {List<int64_t>({-1}), kSize, kNone});
      },
      Code::kInvalidArgument, "the id -1 is negative");
  ExpectError(
      [&] {
        RunOne("RaggedBincount", OfType(DType::kInt64),
               {List<int64_t>({0, 4}), List<int64_t>({0}), kSize, kNone});
      },
      Code::kInvalidArgument, "do not divide 1 values");
}

TEST(IdOperationsTest, RowsOfDifferentLengths) {
  const Tensor shape = List<int64_t>({-1, 2}), all = List<int64_t>({-1, -1});
  const Tensor values = List<int64_t>({5, 6, 7, 8});
  const Tensor zero = Tensor::Scalar(int64_t{0}, Device::Host());
  const auto run = [&](const Words& types, const Tensor& to,
                       std::vector<Tensor> partition) {
    partition.insert(partition.begin(), {to, values, zero});
    return RunNode("RaggedTensorToTensor",
                   OfType(DType::kInt64,
                          {{"row_partition_types", TextsAttribute(types)}}),
                   partition, {"result"})
        .at("result");
  };
  const Tensor cut = run({"ROW_SPLITS"}, shape, {List<int64_t>({0, 3, 3, 4})});
  EXPECT_EQ(cut.shape(), (Shape{3, 2}));
  EXPECT_EQ(cut.ToVector<int64_t>(), (Ids{5, 6, 0, 0, 8, 0}));
  const Tensor padded = run({"FIRST_DIM_SIZE", "VALUE_ROWIDS"}, all,
                            {Tensor::Scalar(int64_t{3}, Device::Host()),
                             List<int64_t>({0, 0, 0, 2})});
  EXPECT_EQ(padded.ToVector<int64_t>(), (Ids{5, 6, 7, 0, 0, 0, 8, 0, 0}));
  EXPECT_EQ(RunNode("Cumsum", OfType(DType::kInt64),
                    {List<int64_t>({1, 0, 2}),
                     Tensor::Scalar(int32_t{0}, Device::Host())},
                    {"out"})
                .at("out")
                .ToVector<int64_t>(),
            (Ids{1, 1, 3}));
  EXPECT_EQ(RunNode("SparseToDense", {},
                    {List<int64_t>({0, 1, 1, 0}).Reshape({2, 2}),
                     List<int64_t>({2, 2}), List<int64_t>({4, 5}), zero},
                    {"dense"})
                .at("dense")
                .ToVector<int64_t>(),
            (Ids{0, 4, 5, 0}));
}

TEST(IdOperationsTest, BinsAndVectors) {
  EXPECT_EQ(
      RunOne("Bucketize",
             OfType(DType::kFloat32, {{"boundaries", FloatsAttribute({0, 1})}}),
             {List<float>({-1, 0, 0.5f, 1, 9})})
          .ToVector<int32_t>(),
      (std::vector<int32_t>{0, 1, 1, 2, 2}));
  const auto scalar = [](auto value) {
    return Tensor::Scalar(value, Device::Host());
  };
  EXPECT_EQ(RunOne("OneHot", OfType(DType::kFloat32),
                   {List<int64_t>({1, -1}), scalar(int32_t{2}), scalar(1.0f),
                    scalar(0.0f)})
                .ToVector<float>(),
            (std::vector<float>{0, 1, 0, 0}));
  EXPECT_EQ(RunOne("Range", {{"Tidx", TypeAttribute(tensor_bundle::DT_INT64)}},
                   {scalar(int64_t{1}), scalar(int64_t{6}), scalar(int64_t{2})})
                .ToVector<int64_t>(),
            (Ids{1, 3, 5}));
}

TEST(HostOperationsTest, Choices) {
  const Tensor words = List<std::string>({"a", "", "b"});
  const Tensor empty = Tensor::Scalar(std::string(), Device::Host());
  SmallSavedModel model;
  auto& nodes = model.nodes();
  const std::string is_empty =
      nodes.AddTyped("Equal", DType::kString,
                     {nodes.Constant(words), nodes.Constant(empty)}, "z");
  model.Output("y", nodes.AddTyped("SelectV2", DType::kInt64,
                                   {is_empty, nodes.Scalar(int64_t{0}),
                                    nodes.Constant(List<int64_t>({4, 5, 6}))},
                                   "output"));
  EXPECT_EQ(model.Run({}).ToVector<int64_t>(), (Ids{4, 0, 6}));
  EXPECT_EQ(RunNode("FloorMod", OfType(DType::kInt64),
                    {List<int64_t>({-1, 5, -3}),
                     Tensor::Scalar(int64_t{3}, Device::Host())},
                    {"z"})
                .at("z")
                .ToVector<int64_t>(),
            (Ids{2, 2, 0}));
  EXPECT_EQ(
      RunOne("Max", OfType(DType::kInt64),
             {List<int64_t>({3, 9, 4, 1}).Reshape({2, 2}), List<int32_t>({1})})
          .ToVector<int64_t>(),
      (Ids{9, 4}));
}

// A check runs although no result depends on it.
TEST(HostOperationsTest, AssertionsAreKept) {
  SmallSavedModel model;
  const std::string x = model.Input("x", DType::kInt64, Shape{1});
  auto& nodes = model.nodes();
  const std::string fits =
      nodes.AddTyped("Less", DType::kInt64, {x, nodes.Scalar(int64_t{5})}, "z");
  nodes.Add("Assert", {fits, nodes.Scalar(std::string("too large:")), x}, {},
            "none");
  (*model.function().mutable_control_ret())["Assert"] = "Assert";
  model.Output("y", x);
  EXPECT_EQ(model.Run({{"x", List<int64_t>({4})}}).ToVector<int64_t>(), Ids{4});
  ExpectError(
      [&] {
        model.Run({{"x", List<int64_t>({5})}});
      },
      Code::kInvalidArgument,
      "an assertion of the model failed: too large: int64 (1,)");
}

TEST(TableTest, FindsAndRefuses) {
  const Table table(List<std::string>({"b", "a", "b"}),
                    List<int64_t>({1, 2, 1}));
  const Tensor unknown = Tensor::Scalar(int64_t{0}, Device::Host());
  EXPECT_EQ(
      table.Find(List<std::string>({"a", "z"}), unknown).ToVector<int64_t>(),
      (Ids{2, 0}));
  ExpectError([&] { table.Find(List<int64_t>({1}), unknown); },
              Code::kInvalidArgument, "a table of string looks up int64 (1,)");
  ExpectError(
      [&] {
        Table(List<int64_t>({7, 7}), List<std::string>({"x", "y"}));
      },
      Code::kDataLoss, "entry 1 of a table has the key of entry 0");
  ExpectError(
      [&] {
        Table(List<int64_t>({7}), List<int64_t>({1, 2}));
      },
      Code::kDataLoss, "a table has the keys int64 (1,) and values");
}

}  // namespace
}  // namespace lockstep
