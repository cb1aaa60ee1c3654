// Reads files that the HDF5 library and h5py 3.14 wrote, and refuses damaged ones.
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/base/file_testing.h"
#include "reference/file_formats/damage_testing.h"
#include "reference/file_formats/hdf5_reader.h"
#include "reference/file_formats/hdf5_writer.h"

namespace lockstep::export_internal {
namespace {

TEST(Hdf5Test, AllTypesRoundTrip) {
  const std::vector<Tensor> tensors = {
      Tensor::FromVector<float>({1, -2.5, 3, 4, 5, 6}, Shape{2, 3}),
      Tensor::FromVector<double>({0.1, 1e300}),
      Tensor::FromVector<int32_t>({-1, 1 << 30}),
      Tensor::Scalar<int64_t>(int64_t{-1} << 40),
      Tensor::FromVector<uint8_t>({0, 255}),
      Tensor::Zeros(Shape{3, 0, 2})};
  Hdf5Writer writer;
  writer.AddGroup("a/vars", "layer");
  for (size_t i = 0; i < tensors.size(); ++i) {
    writer.Add("a/vars/" + std::to_string(i), tensors[i]);
  }
  const std::string bytes = writer.Finish();
  const Hdf5Reader reader(bytes, "memory");
  ASSERT_EQ(reader.paths().size(), tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    const std::string path = "a/vars/" + std::to_string(i);
    EXPECT_EQ(reader.Spec(path), SpecOf(tensors[i]));
    EXPECT_TRUE(BitwiseEqual(reader.Read(path), tensors[i])) << path;
  }
}

TEST(Hdf5Test, GroupsOfManyMembers) {
  Hdf5Writer writer;
  std::vector<std::string> paths;
  for (int i = 1000; i < 2500; ++i) {
    paths.push_back("g/" + std::to_string(i));
    writer.Add(paths.back(), Tensor::Scalar(static_cast<float>(i)));
  }
  const std::string bytes = writer.Finish();
  const Hdf5Reader reader(bytes, "memory");
  EXPECT_EQ(reader.paths(), paths);
  EXPECT_EQ(reader.Read("g/1700").item<float>(), 1700);
}

// The library is not thread-safe.
TEST(Hdf5Test, ThreadsTakeTurns) {
  std::vector<std::string> files(4);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < files.size(); ++i) {
    threads.emplace_back([&files, i] {
      for (int again = 0; again < 20; ++again) {
        Hdf5Writer writer;
        writer.Add("a/b", Tensor::Scalar(static_cast<float>(i)));
        files[i] = writer.Finish();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 0; i < files.size(); ++i) {
    EXPECT_EQ(Hdf5Reader(files[i], "memory").Read("a/b").item<float>(), i);
  }
}

TEST(Hdf5Test, WritersErrors) {
  Hdf5Writer writer;
  writer.Add("a/b", Tensor::Scalar(1.0f));
  ExpectError([&] { writer.Add("a/b", Tensor::Scalar(1.0f)); },
              Code::kInvalidArgument, "'a/b'");
  ExpectError([&] { writer.Add("c", Tensor::Scalar(std::string("text"))); },
              Code::kUnimplemented, "string");
}

TEST(Hdf5Test, ReadersErrors) {
  Hdf5Writer writer;
  writer.Add("a", Tensor::Scalar(1.0f));
  const std::string bytes = writer.Finish();
  const Hdf5Reader reader(bytes, "memory");
  ExpectError([&] { reader.Read("b"); }, Code::kNotFound, "'b'");
  ExpectError([] { Hdf5Reader("PK something else than HDF5", "zip"); },
              Code::kDataLoss, "signature");
  std::string newer = bytes;
  newer[8] = 2;
  ExpectError([&] { Hdf5Reader(newer, "newer"); }, Code::kUnimplemented,
              "version 2");
}

std::string OneArray() {
  Hdf5Writer writer;
  writer.Add("vars/0", Tensor::FromVector<float>({1, 2, 3, 4}));
  return writer.Finish();
}

// The reader's result for a file, without the elements.
using Contents = std::vector<std::pair<std::string, std::string>>;

Contents ContentsOf(const std::string& bytes) {
  const Hdf5Reader reader(bytes, "damaged");
  Contents contents;
  for (const std::string& path : reader.paths()) {
    contents.emplace_back(path, ToString(reader.Read(path)));
  }
  return contents;
}

TEST(DamagedHdf5Test, EveryTruncation) {
  ExpectTruncationsAreDataLoss(OneArray(), ContentsOf);
  const std::string keras = ReadWholeFile(
      "reference/export/testdata/keras_functional/model.weights.h5");
  for (size_t size = 0; size < keras.size(); size += 97) {
    EXPECT_EQ(CodeOf([&] { ContentsOf(keras.substr(0, size)); }),
              Code::kDataLoss);
  }
}

TEST(DamagedHdf5Test, EveryByte) {
  const std::string bytes = OneArray();
  const Contents expected = ContentsOf(bytes);
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (int flip = 1; flip < 256; flip = flip * 2 + 1) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ flip);
      try {
        // Elements and names may change, but not the datasets.
        EXPECT_LE(ContentsOf(damaged).size(), expected.size()) << i;
      } catch (const Error& error) {
        EXPECT_TRUE(error.code() == Code::kDataLoss ||
                    error.code() == Code::kUnimplemented)
            << error.what();
      }
    }
  }
}

TEST(DamagedHdf5Test, AbsurdSizes) {
  const std::string bytes = OneArray();
  const std::string four("\4\0\0\0\0\0\0\0", 8);
  const std::string absurd("\0\0\0\0\0\0\0\x40", 8);
  int refused = 0;
  for (size_t at = bytes.find(four); at != std::string::npos;
       at = bytes.find(four, at + 1)) {
    std::string damaged = bytes;
    damaged.replace(at, 8, absurd);
    try {
      // The field with the maximal size, which is not used.
      EXPECT_EQ(ContentsOf(damaged), ContentsOf(bytes));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kDataLoss);
      ++refused;
    }
  }
  EXPECT_GE(refused, 1);
}

}  // namespace
}  // namespace lockstep::export_internal
