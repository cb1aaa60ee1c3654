// Reads files of the package safetensors 0.8.0, and refuses those it refuses.
#include "reference/export/safetensors/safetensors.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <map>
#include <string>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/base/failing_system_calls.h"
#include "reference/base/file_testing.h"
#include "reference/file_formats/damage_testing.h"
#include "reference/layers/core_layers.h"
#include "reference/layers/model_impl.h"
#include "reference/training/exchange/exchange_models.h"

namespace lockstep {
namespace {

using export_internal::DecodeSafetensors;

std::string WithHeader(const std::string& header, const std::string& data) {
  std::string length(8, '\0');
  length[0] = static_cast<char>(header.size() & 0xff);
  length[1] = static_cast<char>(header.size() >> 8);
  return length + header + data;
}

TEST(SafetensorsTest, AllTypesRoundTrip) {
  const TestFolder folder;
  Safetensors contents;
  contents.metadata = {{"format", "pt"}};
  contents.tensors = {
      {"f32", Tensor::FromVector<float>({1, -2.5, 3}, Shape{3, 1})},
      {"f64", Tensor::Scalar(0.1)},
      {"i64", Tensor::Scalar<int64_t>(int64_t{1} << 40)},
      {"u8", Tensor::FromVector<uint8_t>({1, 255, 3})},
      {"bool", Tensor::FromVector<int32_t>({1, 0}).Cast(DType::kBool)},
      {"bf16", Tensor::FromVector<float>({1.5, 2}).Cast(DType::kBFloat16)},
      {"none", Tensor::Zeros(Shape{0, 4})}};
  SaveSafetensors(folder / "all", contents);
  const Safetensors read = LoadSafetensors(folder / "all");
  EXPECT_EQ(read.metadata, contents.metadata);
  ASSERT_EQ(read.tensors.size(), contents.tensors.size());
  for (const auto& [name, tensor] : contents.tensors) {
    EXPECT_TRUE(BitwiseEqual(read.tensors.at(name), tensor)) << name;
  }
}

// The bytes that the package writes for {"b": int64 5, "a": float32 [1, 2]}: large
// elements first, the header padded to a multiple of 8.
TEST(SafetensorsTest, WritesTheSameAsThePackage) {
  const TestFolder folder;
  SaveSafetensors(folder / "x",
                  {.tensors = {{"a", Tensor::FromVector<float>({1, 2})},
                               {"b", Tensor::Scalar<int64_t>(5)}}});
  const std::string bytes = ReadWholeFile(folder / "x");
  const size_t header_bytes = static_cast<uint8_t>(bytes[0]);
  EXPECT_EQ(header_bytes % 8, 0u);
  EXPECT_EQ(bytes.substr(8, header_bytes).find_last_not_of(' '),
            bytes.substr(8, header_bytes).rfind('}'));
  EXPECT_NE(
      bytes.find(R"("b":{"data_offsets":[0,8],"dtype":"I64","shape":[]})"),
      std::string::npos);
  EXPECT_EQ(bytes.substr(8 + header_bytes),
            std::string("\5\0\0\0\0\0\0\0\0\0\x80\x3f\0\0\0\x40", 16));
}

TEST(SafetensorsTest, KerasModelByNames) {
  const std::string folder = "reference/export/testdata/keras_functional/";
  ClearSession();  // names are counted
  const Model model = MakeExchangeModel("functional");
  LoadSafetensors(folder + "model.safetensors", model);
  const Model whole(LoadKerasModel(folder + "model.keras").model.shared_impl());
  const Tensor images = MakeExchangeBatch().inputs;
  EXPECT_TRUE(BitwiseEqual(model.Predict(images), whole.Predict(images)));
}

TEST(SafetensorsTest, ReadsFilesThatThePackageReads) {
  EXPECT_EQ(DecodeSafetensors(WithHeader("{}", ""), "x").tensors.size(), 0u);
  EXPECT_EQ(DecodeSafetensors(WithHeader("  {}  ", ""), "x").tensors.size(),
            0u);
}

TEST(SafetensorsTest, RefusesFilesThatThePackageRefuses) {
  const auto entry = [](const std::string& offsets,
                        const std::string& shape = "[1]") {
    return R"({"dtype":"U8","shape":)" + shape + R"(,"data_offsets":)" +
           offsets + "}";
  };
  const std::map<std::string, std::string> refused = {
      {R"({"a":)" + entry("[0,1]") + "}", "12"},  // trailing byte
      {R"({"a":)" + entry("[1,2]") + "}", "12"},  // hole
      {R"({"a":)" + entry("[0,1]") + R"(,"b":)" + entry("[0,1]") + "}", "1"},
      {R"({"a":)" + entry("[0,2]") + "}", "12"},         // shape
      {R"({"a":)" + entry("[0,3]", "[3]") + "}", "12"},  // too few bytes
      {R"({"a":)" + entry("[2,0]", "[0]") + "}", "12"},
      {R"({"a":)" + entry("[0,0]", "[4294967296,4294967296,16]") + "}", ""},
      {R"({"a":)" + entry("[0,-1]") + "}", "1"},
      {R"({"a":)" + entry("[0,1]") + R"(,"a":)" + entry("[1,2]") + "}", "12"},
      {R"({"__metadata__":{"a":1}})", ""},
      {R"({"a":{"shape":[1],"data_offsets":[0,1]}})", "1"},
      {R"({"a":[[[[[[]]]]]]})", ""},
      {R"({"a":)", ""},
      {"[]", ""}};
  for (const auto& [header, data] : refused) {
    ExpectError([&] { DecodeSafetensors(WithHeader(header, data), "file"); },
                Code::kDataLoss, "file");
  }
  ExpectError(
      [&] {
        DecodeSafetensors(WithHeader(R"({"a":{"dtype":"F8_E4M3","shape":[],)"
                                     R"("data_offsets":[0,1]}})",
                                     "1"),
                          "file");
      },
      Code::kUnimplemented, "F8_E4M3");
  ExpectError(
      [&] {
        DecodeSafetensors(WithHeader(R"({"a":{"dtype":"BOOL","shape":[],)"
                                     R"("data_offsets":[0,1]}})",
                                     "\2"),
                          "file");
      },
      Code::kDataLoss, "neither 0 nor 1");
}

TEST(SafetensorsTest, TruncatedFilesAreDataLoss) {
  const TestFolder folder;
  SaveSafetensors(folder / "x",
                  {.tensors = {{"a", Tensor::FromVector<float>({1, 2})}}});
  export_internal::ExpectTruncationsAreDataLoss(
      ReadWholeFile(folder / "x"),
      [](const std::string& bytes) { DecodeSafetensors(bytes, "x"); });
}

TEST(SafetensorsTest, ReportsDamageOfTheHeaderExceptNames) {
  const TestFolder folder;
  SaveSafetensors(folder / "x",
                  {.tensors = {{"a", Tensor::FromVector<float>({1, 2})}}});
  const std::string bytes = ReadWholeFile(folder / "x");
  const size_t header_bytes = 8 + static_cast<uint8_t>(bytes[0]);
  const std::string header = bytes.substr(0, header_bytes);
  const std::string data = bytes.substr(header_bytes);
  using Shapes = std::vector<std::string>;
  const auto read = [&](const std::string& damaged) {
    Shapes shapes;
    for (const auto& [name, tensor] :
         DecodeSafetensors(damaged + data, "x").tensors) {
      shapes.push_back(Describe(tensor));
    }
    return shapes;
  };
  // The letter of the name, and the padding.
  EXPECT_LE(export_internal::CountUnnoticedBytes<Shapes>(header, read), 8);
}

TEST(SafetensorsTest, InterruptedSaveLeavesACompleteFile) {
  const TestFolder folder;
  const std::string file = folder / "x.safetensors";
  const auto save = [&](float value) {
    SaveSafetensors(file,
                    {.tensors = {{"a", Tensor::FromVector<float>({value})}}});
  };
  const auto expect_whole = [&] {
    const float stored = LoadSafetensors(file).tensors.at("a").at<float>(0);
    EXPECT_TRUE(stored == 1 || stored == 2) << stored;
  };
  save(1);
  const int calls = FailEachCall(
      ENOSPC, [&] { save(2); },
      [&](const Error& error) {
        EXPECT_EQ(error.code(), Code::kResourceExhausted);
        EXPECT_EQ(folder.names().size(), 1u);
        expect_whole();
      });
  EXPECT_GE(calls, 5);  // open, write, fsync, a name, fsync
  for (int which = 1; KilledAt(which, [&] { save(1); }); ++which) {
    expect_whole();
    save(2);
  }
}

TEST(SafetensorsTest, AnotherModelIsUnchanged) {
  const TestFolder folder;
  const Layer dense = Dense(2, {.name = "d"});
  ExpectError([&] { SaveSafetensors(folder / "x", dense); },
              Code::kFailedPrecondition, "'d'");
  dense.Build(Shape{kUnknownDim, 3});
  SaveSafetensors(folder / "x", dense);
  const auto expect = [&](const Layer& layer, Code code,
                          const std::string& words) {
    layer.Build(Shape{kUnknownDim, 3});
    ExpectError([&] { LoadSafetensors(folder / "x", layer); }, code, words);
  };
  expect(Dense(3, {.name = "d"}), Code::kInvalidArgument, "'d/bias'");
  expect(Dense(2, {.use_bias = false, .name = "d"}), Code::kInvalidArgument,
         "has 'd/bias'");
  expect(Dense(2, {.name = "e"}), Code::kInvalidArgument, "'d/bias'");
  SaveSafetensors(folder / "x", Safetensors());
  expect(Dense(2, {.name = "d"}), Code::kNotFound, "no 'd/bias'");
  const Layer twice = MakeLayer<SequentialImpl>(
      std::vector<Layer>{Input({3}),
                         MakeLayer<SequentialImpl>(
                             std::vector<Layer>{Dense(3, {.name = "d"})}, "a"),
                         MakeLayer<SequentialImpl>(
                             std::vector<Layer>{Dense(3, {.name = "d"})}, "b")},
      "twice");
  ExpectError([&] { SaveSafetensors(folder / "x", twice); },
              Code::kInvalidArgument, "named 'd/kernel'");
}

}  // namespace
}  // namespace lockstep
