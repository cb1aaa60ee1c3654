// The speed of input pipelines for replicas.
//
//   ./bazelw run //benchmarks/micro:input_benchmark
//
// items_per_second counts global batches for Rebatch, images for Images,
// records for ReadTFRecords, whose file the system has in memory, and pipelines
// for Distribute. Every run is checked: all rows must arrive, each once.
#include <benchmark/benchmark.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/measurement/result_entry.h"
#include "benchmarks/micro/benchmark_options.h"
#include "benchmarks/micro/pipelines/image_rows.h"
#include "reference/base/random.h"
#include "reference/data/dataset.h"
#include "reference/data/tf_record_writer.h"
#include "reference/device/device.h"
#include "reference/distribute/input/distributed_dataset.h"

namespace lockstep::benchmarks {
namespace {

std::vector<Device*> Devices(int replicas) {
  SetLogicalCpuDevices(replicas);
  std::vector<Device*> devices;
  for (int i = 0; i < replicas; ++i) {
    devices.push_back(&FindDevice("CPU:" + std::to_string(i)));
  }
  return devices;
}

int64_t SumOf(const PerReplica<Structure>& step) {
  int64_t sum = 0;
  for (const Structure& part : step) {
    for (const int64_t x : part.leaf().span<int64_t>()) sum += x;
  }
  return sum;
}

// Tiny batches: what a step costs apart from moving data.
void Rebatch(benchmark::State& state, int replicas) {
  constexpr int64_t kNumbers = 200000;
  constexpr int64_t kBatch = 6;
  const DistributedDataset inputs =
      DistributeDataset(Topology::OneWorker(replicas), Devices(replicas),
                        Dataset::Range(kNumbers).Batch(kBatch));
  int64_t steps = 0;
  for (auto unused : state) {
    int64_t sum = 0;
    for (const PerReplica<Structure>& step : inputs) {
      sum += SumOf(step);
      ++steps;
    }
    if (sum != SumTo(kNumbers)) state.SkipWithError("rows are wrong");
  }
  state.SetItemsProcessed(steps);
}

// A pipeline of `nodes` nodes, one of them a batch: the cost to distribute it,
// and to start an epoch and read it.
void Distribute(benchmark::State& state, int nodes) {
  constexpr int64_t kNumbers = 64;
  Dataset numbers = Dataset::Range(kNumbers);
  for (int node = 2; node < nodes; ++node) {
    numbers = node % 5 == 0 ? numbers.Shuffle(kNumbers, /*seed=*/node)
                            : numbers.Take(kNumbers);
  }
  const Dataset batches = numbers.Batch(16);
  const std::vector<Device*> devices = Devices(2);
  for (auto unused : state) {
    int64_t sum = 0;
    for (const PerReplica<Structure>& step :
         DistributeDataset(Topology::OneWorker(2), devices, batches)) {
      sum += SumOf(step);
    }
    if (sum != SumTo(kNumbers)) state.SkipWithError("rows are wrong");
  }
  state.SetItemsProcessed(state.iterations());
}

struct ImagesCase {
  DType dtype = DType::kFloat32;
  bool shuffled = true;
  int replicas = 2;
};

// Images of Fashion-MNIST's size with their labels, shuffled and batched.
void Images(benchmark::State& state, const ImagesCase& what) {
  constexpr int64_t kImages = 60000;
  constexpr int64_t kBatch = 128;
  Dataset rows = ImageRows(what.dtype, kImages);
  if (what.shuffled) rows = rows.Shuffle(kImages, /*seed=*/1);
  const DistributedDataset inputs =
      DistributeDataset(Topology::OneWorker(what.replicas),
                        Devices(what.replicas), rows.Batch(kBatch));
  int64_t images = 0;
  for (auto unused : state) {
    int64_t sum = 0;
    for (const PerReplica<Structure>& step : inputs) {
      for (const Structure& part : step) {
        const Tensor& labels = part[1].leaf();
        for (const int64_t x : labels.span<int64_t>()) sum += x;
        images += labels.num_elements();
      }
    }
    if (sum != SumTo(kImages)) state.SkipWithError("rows are wrong");
  }
  state.SetItemsProcessed(images);
  state.SetBytesProcessed(images * kImagePixels * DTypeSize(what.dtype));
}

struct RecordsCase {
  Compression compression = Compression::kNone;
  std::string_view name = "none";
};

// A file of random bytes, so that decompressing an archive of it costs what
// images cost: they hardly compress.
class RecordFile {
 public:
  static constexpr int64_t kRecords = 100000;
  static constexpr int64_t kRecordBytes = 784;

  explicit RecordFile(Compression compression)
      : path_(std::filesystem::temp_directory_path() /
              fmt::format("lockstep-records-{}", getpid())) {
    TFRecordWriter writer(path_, compression);
    Random random(1);
    std::string record(kRecordBytes, '\0');
    for (int64_t i = 0; i < kRecords; ++i) {
      for (char& byte : record) byte = static_cast<char>(random.Next32());
      writer.Write(record);
    }
    writer.Close();
  }
  ~RecordFile() { std::filesystem::remove(path_); }
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  const std::string path_;
};

void ReadTFRecords(benchmark::State& state, const RecordsCase& what) {
  const RecordFile file(what.compression);
  const Dataset records =
      Dataset::FromTFRecords({file.path()}, what.compression);
  for (auto unused : state) {
    int64_t bytes = 0;
    for (const Structure& record : records) {
      bytes += std::ssize(record.leaf().span<std::string>()[0]);
    }
    if (bytes != RecordFile::kRecords * RecordFile::kRecordBytes) {
      state.SkipWithError("records are wrong");
    }
  }
  const int64_t read = state.iterations() * RecordFile::kRecords;
  state.SetItemsProcessed(read);
  state.SetBytesProcessed(read * RecordFile::kRecordBytes);
}

void RegisterAll() {
  for (const RecordsCase& what :
       {RecordsCase{}, RecordsCase{Compression::kGzip, "gzip"}}) {
    const EntryName name = EntryName("ReadTFRecords")
                               .With("compression", what.name)
                               .With("record_bytes", RecordFile::kRecordBytes);
    ::benchmark::RegisterBenchmark(name.str().c_str(), ReadTFRecords, what)
        ->Unit(benchmark::kMillisecond)
        ->MeasureProcessCPUTime()
        ->UseRealTime();
  }
  for (const int replicas : {1, 2, 4}) {
    const EntryName name =
        EntryName("Rebatch").With("batch", 6).With("replicas", replicas);
    ::benchmark::RegisterBenchmark(name.str().c_str(), Rebatch, replicas)
        ->Unit(benchmark::kMillisecond)
        ->MeasureProcessCPUTime()
        ->UseRealTime();
  }
  for (const int nodes : {3, 30}) {
    const EntryName name =
        EntryName("Distribute").With("nodes", nodes).With("replicas", 2);
    ::benchmark::RegisterBenchmark(name.str().c_str(), Distribute, nodes)
        ->Unit(benchmark::kMicrosecond)
        ->MeasureProcessCPUTime()
        ->UseRealTime();
  }
  for (const ImagesCase& what :
       {ImagesCase{}, ImagesCase{.dtype = DType::kUInt8},
        ImagesCase{.shuffled = false}, ImagesCase{.replicas = 1}}) {
    const EntryName name =
        EntryName("Images")
            .With("dtype", DTypeName(what.dtype))
            .With("order", what.shuffled ? "shuffled" : "sequential")
            .With("batch", 128)
            .With("replicas", what.replicas);
    ::benchmark::RegisterBenchmark(name.str().c_str(), Images, what)
        ->Unit(benchmark::kMillisecond)
        ->MeasureProcessCPUTime()
        ->UseRealTime();
  }
}

}  // namespace
}  // namespace lockstep::benchmarks

int main(int argc, char** argv) {
  using namespace lockstep::benchmarks;
  return RunBenchmarks(argc, argv, RegisterAll);
}
