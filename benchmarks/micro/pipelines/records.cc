#include <fmt/core.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "benchmarks/micro/pipelines/image_rows.h"
#include "benchmarks/micro/pipelines/pipelines.h"
#include "reference/data/dataset.h"
#include "reference/data/tf_record_writer.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::benchmarks {
namespace {

constexpr int64_t kFiles = 8;
constexpr int64_t kRecordsOfFile = 2500;
constexpr int64_t kBatch = 128;
constexpr int64_t kBatchesAhead = 16;

// A record is a byte, the label, and an image of bytes.
class RecordFiles {
 public:
  RecordFiles()
      : folder_(std::filesystem::temp_directory_path() /
                fmt::format("lockstep-pipelines-{}", getpid())) {
    std::filesystem::create_directories(folder_);
    for (int64_t file = 0; file < kFiles; ++file) {
      paths_.push_back(folder_ / fmt::format("train-{}", file));
      TFRecordWriter writer(paths_.back());
      for (int64_t i = 0; i < kRecordsOfFile; ++i) {
        std::string record(1 + kImagePixels, '\xff');
        record[0] = static_cast<char>(i % 10);
        writer.Write(record);
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

// The image as float32 in 0..1, and the label.
Structure Parse(const Structure& record) {
  const std::string& bytes = record.leaf().span<std::string>()[0];
  Tensor image = EmptyOnHost(Shape{28, 28, 1}, DType::kFloat32);
  auto* pixels = image.mutable_data<float>();
  for (int64_t i = 0; i < kImagePixels; ++i) {
    pixels[i] = static_cast<float>(static_cast<uint8_t>(bytes[1 + i])) / 255;
  }
  const int64_t label = static_cast<uint8_t>(bytes[0]);
  return Structure::Tuple({image, Tensor::Scalar<int64_t>(label)});
}

Dataset Batches(const std::vector<std::string>& paths) {
  const Dataset files = Dataset::FromTensorSlices(
      Structure(Tensor::FromVector<std::string>(paths)));
  const auto read = [](const Structure& file) {
    return Dataset::FromTFRecords({file.leaf().item<std::string>()});
  };
  return files
      .Interleave(read, {.cycle_length = 4, .num_parallel_calls = kAutotune})
      .Map(Parse, {.num_parallel_calls = kAutotune})
      .Batch(kBatch)
      .Prefetch(kBatchesAhead);
}

void Records(benchmark::State& state) {
  const RecordFiles files;
  const Dataset batches = Batches(files.paths());
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
  RegisterWork(WorkName("records")
                   .With("elements", kFiles * kRecordsOfFile)
                   .With("batch", kBatch),
               Records);
}

}  // namespace lockstep::benchmarks
