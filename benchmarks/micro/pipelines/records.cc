#include <fmt/core.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/micro/pipelines/image_rows.h"
#include "benchmarks/micro/pipelines/pipelines.h"
#include "reference/data/dataset.h"
#include "reference/data/examples/parse_example.h"
#include "reference/data/tf_record_writer.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::benchmarks {
namespace {

constexpr int64_t kFiles = 8;
constexpr int64_t kRecordsOfFile = 2500;
constexpr int64_t kBatch = 128;
constexpr int64_t kBatchesAhead = 16;

// Of a label, with a white image.
using MakeRecord = std::string (*)(int64_t label);

class RecordFiles {
 public:
  explicit RecordFiles(MakeRecord make)
      : folder_(std::filesystem::temp_directory_path() /
                fmt::format("lockstep-pipelines-{}", getpid())) {
    std::filesystem::create_directories(folder_);
    for (int64_t file = 0; file < kFiles; ++file) {
      paths_.push_back(folder_ / fmt::format("train-{}", file));
      TFRecordWriter writer(paths_.back());
      for (int64_t i = 0; i < kRecordsOfFile; ++i) {
        writer.Write(make(i % 10));
      }
      writer.Close();
    }
  }
  ~RecordFiles() { std::filesystem::remove_all(folder_); }
  RecordFiles(const RecordFiles&) = delete;
  RecordFiles& operator=(const RecordFiles&) = delete;

  const std::vector<std::string>& paths() const { return paths_; }

 private:
  const std::filesystem::path folder_;
  std::vector<std::string> paths_;
};

// Bytes as numbers in 0..1.
void FillPixels(std::string_view bytes, float* pixels) {
  for (size_t i = 0; i < bytes.size(); ++i) {
    pixels[i] = static_cast<float>(static_cast<uint8_t>(bytes[i])) / 255;
  }
}

// A byte, the label, and an image of bytes.
std::string PlainRecord(int64_t label) {
  std::string record(1 + kImagePixels, '\xff');
  record[0] = static_cast<char>(label);
  return record;
}

// The image as float32, and the label.
Structure Parse(const Structure& record) {
  const std::string& bytes = record.leaf().span<std::string>()[0];
  Tensor image = EmptyOnHost(Shape{28, 28, 1}, DType::kFloat32);
  FillPixels(std::string_view(bytes).substr(1), image.mutable_data<float>());
  const int64_t label = static_cast<uint8_t>(bytes[0]);
  return Structure::Tuple({image, Tensor::Scalar<int64_t>(label)});
}

// A tf.train.Example of an image of bytes and a label.
std::string ExampleRecord(int64_t label) {
  return SerializeExample(Structure::Dict(
      {{"image", Tensor::Scalar(std::string(kImagePixels, '\xff'))},
       {"label", Tensor::Scalar(label)}}));
}

// The same as Parse, of a batch of examples.
Structure ParseExamples(const Structure& records) {
  static const ExampleFeatures kFeatures = {
      {"image", FixedLenFeature{.dtype = DType::kString}},
      {"label", FixedLenFeature{.dtype = DType::kInt64}}};
  const Structure parsed = ParseExample(records, kFeatures);
  const std::span<const std::string> images =
      parsed["image"].leaf().span<std::string>();
  Tensor pixels =
      EmptyOnHost(Shape{std::ssize(images), 28, 28, 1}, DType::kFloat32);
  auto* next = pixels.mutable_data<float>();
  for (const std::string& image : images) {
    FillPixels(image, next);
    next += kImagePixels;
  }
  return Structure::Tuple({pixels, parsed["label"]});
}

Dataset Read(const std::vector<std::string>& paths) {
  const Dataset files = Dataset::FromTensorSlices(
      Structure(Tensor::FromVector<std::string>(paths)));
  const auto read = [](const Structure& file) {
    return Dataset::FromTFRecords({file.leaf().item<std::string>()});
  };
  return files.Interleave(read,
                          {.cycle_length = 4, .num_parallel_calls = kAutotune});
}

Dataset RecordBatches(const std::vector<std::string>& paths) {
  return Read(paths)
      .Map(Parse, {.num_parallel_calls = kAutotune})
      .Batch(kBatch)
      .Prefetch(kBatchesAhead);
}

Dataset ExampleBatches(const std::vector<std::string>& paths) {
  return Read(paths)
      .Batch(kBatch)
      .Map(ParseExamples, {.num_parallel_calls = kAutotune})
      .Prefetch(kBatchesAhead);
}

void Drain(benchmark::State& state, const Dataset& batches) {
  for (auto unused : state) {
    int64_t labels = 0;
    for (const Structure& batch : batches) {
      for (const int64_t x : batch[1].leaf().span<int64_t>()) labels += x;
    }
    if (labels != kFiles * kRecordsOfFile / 10 * SumTo(10)) {
      state.SkipWithError("records are wrong");
    }
  }
  state.SetItemsProcessed(state.iterations() * kFiles * kRecordsOfFile);
}

}  // namespace

void RegisterRecords() {
  const auto name = [](std::string_view work) {
    return WorkName(work)
        .With("elements", kFiles * kRecordsOfFile)
        .With("batch", kBatch);
  };
  RegisterWork(name("records"), [](benchmark::State& state) {
    const RecordFiles files(PlainRecord);
    Drain(state, RecordBatches(files.paths()));
  });
  RegisterWork(name("examples"), [](benchmark::State& state) {
    const RecordFiles files(ExampleRecord);
    Drain(state, ExampleBatches(files.paths()));
  });
}

}  // namespace lockstep::benchmarks
