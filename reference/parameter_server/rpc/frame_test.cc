#include "reference/parameter_server/rpc/frame.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "reference/base/error_testing.h"

namespace lockstep::rpc {
namespace {

std::string TextOf(const grpc::ByteBuffer& bytes) {
  std::vector<grpc::Slice> slices;
  EXPECT_TRUE(bytes.Dump(&slices).ok());
  std::string text;
  for (const grpc::Slice& slice : slices) {
    text.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return text;
}

grpc::ByteBuffer BytesOf(const std::string& text) {
  const grpc::Slice slice(text);
  return {&slice, 1};
}

Frame FrameOf(const std::string& message) {
  Frame frame;
  frame.set_number(1);
  frame.set_message(message);
  return frame;
}

TEST(FrameTest, HasTheDocumentedBytes) {
  const auto bytes = TextOf(
      EncodeFrame(FrameOf("hi"), {Tensor::FromVector<int32_t>({1, 258})}));
  // Field 1 is 1, field 3 is "hi", field 5 a head of 9 bytes: "int32" and the
  // packed dimension 2.
  const std::string frame = std::string("\x08\x01\x1a\x02hi\x2a\x0a\x0a\x05") +
                            "int32" + "\x12\x01\x02";
  EXPECT_EQ(bytes, std::string("\x12\0\0\0", 4) + frame +
                       std::string("\1\0\0\0\2\1\0\0", 8));
}

std::vector<Tensor> TensorsOfAllKinds() {
  std::vector<int64_t> large(10'000);
  for (size_t i = 0; i < large.size(); ++i) large[i] = static_cast<int64_t>(i);
  return {Tensor::FromVector<float>({1.5f, -2.0f}, Shape{2, 1}),
          Tensor(),
          Tensor::Scalar(std::numeric_limits<double>::quiet_NaN()),
          Tensor::FromVector<int64_t>(large, Shape{100, 100}),
          Tensor::FromVector<std::string>({"", std::string("a\0b", 3)}),
          Tensor::Zeros(Shape{0, 3}, DType::kInt32),
          Tensor::Zeros(Shape{0}, DType::kString),
          Tensor::Scalar(true),
          Tensor::FromVector<uint8_t>({255, 0, 7}),
          Tensor::Zeros(Shape{1, 1, 1, 1, 1, 1, 1, 2}, DType::kBFloat16),
          Tensor::Zeros(Shape{3}, DType::kFloat16)};
}

TEST(FrameTest, KeepsTensorsOfAllTypes) {
  const std::vector<Tensor> sent = TensorsOfAllKinds();
  const DecodedFrame got = DecodeFrame(EncodeFrame(FrameOf("m"), sent));
  EXPECT_EQ(got.frame.message(), "m");
  ASSERT_EQ(got.tensors.size(), sent.size());
  for (size_t i = 0; i < sent.size(); ++i) {
    EXPECT_TRUE(BitwiseEqual(got.tensors[i], sent[i])) << i;
  }
}

TEST(FrameTest, ReadsAcrossSlices) {
  const std::string text =
      TextOf(EncodeFrame(FrameOf("m"), TensorsOfAllKinds()));
  std::vector<grpc::Slice> slices;
  for (size_t i = 0; i < text.size(); i += 7) {
    slices.emplace_back(text.substr(i, 7));
  }
  const DecodedFrame got =
      DecodeFrame(grpc::ByteBuffer(slices.data(), slices.size()));
  EXPECT_TRUE(BitwiseEqual(got.tensors[3], TensorsOfAllKinds()[3]));
}

// A large tensor is sent as it is when it is encoded, whatever its owner does.
TEST(FrameTest, SharesMemory) {
  const Tensor large = Tensor::Zeros(Shape{1 << 20});
  const grpc::ByteBuffer bytes = EncodeFrame(FrameOf(""), {large});
  EXPECT_FALSE(large.unique());
}

void ExpectRefused(const std::string& text, const std::string& words) {
  ExpectError([&] { DecodeFrame(BytesOf(text)); }, Code::kInvalidArgument,
              words);
}

TEST(FrameTest, RefusesEveryCutOffFrame) {
  const std::string text = TextOf(
      EncodeFrame(FrameOf("hi"), {Tensor::FromVector<float>({1, 2, 3})}));
  for (size_t size = 0; size < text.size(); ++size) {
    EXPECT_EQ(CodeOf([&] { DecodeFrame(BytesOf(text.substr(0, size))); }),
              Code::kInvalidArgument)
        << size;
  }
  ExpectRefused(text + "x", "1 bytes follow");
}

// A frame with one tensor's head, and these bytes after it.
std::string WithHead(const std::string& dtype, const std::vector<int64_t>& dims,
                     const std::string& elements) {
  Frame frame = FrameOf("");
  TensorHead& head = *frame.add_tensors();
  head.set_dtype(dtype);
  for (const int64_t dim : dims) head.add_dims(dim);
  const std::string body = frame.SerializeAsString();
  std::string text(4, '\0');
  text[0] = static_cast<char>(body.size());
  return text + body + elements;
}

TEST(FrameTest, RefusesWhatIsNoTensor) {
  constexpr int64_t kHuge = int64_t{1} << 62;
  ExpectRefused(WithHead("float31", {1}, "abcd"), "float31");
  ExpectRefused(WithHead("float32", {2}, "abcd"), "elements that follow");
  ExpectRefused(WithHead("float32", {}, ""), "cut off");
  ExpectRefused(WithHead("float32", {kHuge, 4}, "abcd"), "elements");
  ExpectRefused(WithHead("uint8", {kHuge, kHuge, 0}, ""), "elements");
  ExpectRefused(WithHead("float32", {-1}, ""), "negative");
  ExpectRefused(WithHead("float32", {-2}, ""), "negative");
  ExpectRefused(WithHead("uint8", {1, 1, 1, 1, 1, 1, 1, 1, 1}, "a"),
                "dimensions");
  ExpectRefused(WithHead("bool", {1}, "\2"), "0 or 1");
  ExpectRefused(WithHead("string", {1}, ""), "0 strings");
  ExpectRefused(WithHead("string", {kHuge}, ""), "elements");
  ExpectRefused(std::string("\xff\xff\xff\xff", 4), "4294967295 bytes, got 0");
  ExpectRefused(std::string("\1\0\0\0\xff", 5), "not a frame");
}

}  // namespace
}  // namespace lockstep::rpc
