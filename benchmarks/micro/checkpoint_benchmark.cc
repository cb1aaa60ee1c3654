// The speed of writing and reading checkpoints, compared with the bytes alone.
//
//   ./bazelw run //benchmarks/micro:checkpoint_benchmark
//
// 256 MiB of float32 in 64 variables, in the system's folder of temporary
// files, are saved as a checkpoint, with and without waiting for the disk, and
// restored. For comparison, as many bytes are written to a durable file and
// read into new memory, which a restore needs too, since it changes nothing
// before it has read all. Reads come from the page cache. Every run checks the
// restored values.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/measurement/result_entry.h"
#include "benchmarks/micro/benchmark_options.h"
#include "reference/autodiff/variable.h"
#include "reference/checkpoint/checkpoint.h"

namespace lockstep::benchmarks {
namespace {

constexpr int64_t kVariables = 64;
constexpr int64_t kElements = int64_t{1} << 20;  // of each
constexpr int64_t kBytes = kVariables * kElements * sizeof(float);

class Folder {
 public:
  Folder()
      : path_(std::filesystem::temp_directory_path() /
              fmt::format("lockstep-checkpoint-{}", getpid())) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string File(const std::string& name) const { return path_ / name; }
  // Of all files.
  int64_t Bytes() const {
    int64_t bytes = 0;
    for (const auto& file : std::filesystem::directory_iterator(path_)) {
      bytes += static_cast<int64_t>(file.file_size());
    }
    return bytes;
  }

 private:
  const std::filesystem::path path_;
};

// Variable i is i everywhere.
struct Variables {
  Variables() {
    std::map<std::string, Trackable*> objects;
    for (int64_t i = 0; i < kVariables; ++i) {
      const float value = static_cast<float>(i);
      all.push_back(MakeVariable(
          {.initial_value =
               [=] { return Tensor::Full(Shape{kElements}, value); },
           .name = fmt::format("v{}", i)}));
      objects[fmt::format("v{}", i)] = all.back().get();
    }
    checkpoint = std::make_unique<Checkpoint>(objects);
  }

  bool Right() const {
    for (int64_t i = 0; i < kVariables; ++i) {
      const Tensor value = all[i]->Read();
      if (value.at<float>(0) != static_cast<float>(i)) return false;
      if (value.at<float>(kElements - 1) != static_cast<float>(i)) return false;
    }
    return true;
  }

  std::vector<VariablePtr> all;
  std::unique_ptr<Checkpoint> checkpoint;
};

void Save(benchmark::State& state, const CheckpointOptions& options) {
  const Folder folder;
  const Variables variables;
  const std::string path = folder.File("ckpt");
  for (auto unused : state) variables.checkpoint->Write(path, options);
  if (folder.Bytes() < kBytes) state.SkipWithError("too short");
  state.SetBytesProcessed(state.iterations() * kBytes);
}

void SaveDurably(benchmark::State& state) { Save(state, {}); }

void SaveWithoutFsync(benchmark::State& state) {
  Save(state, {.durable = false});
}

void Restore(benchmark::State& state) {
  const Folder folder;
  const Variables variables;
  const std::string path = folder.File("ckpt");
  variables.checkpoint->Write(path);
  for (const VariablePtr& v : variables.all) {
    v->Assign(Tensor::Zeros(Shape{kElements}));
  }
  for (auto unused : state) variables.checkpoint->Read(path).AssertConsumed();
  if (!variables.Right()) state.SkipWithError("values are wrong");
  state.SetBytesProcessed(state.iterations() * kBytes);
}

// In pieces of a variable, as the checkpoint has them.
void RawWrite(benchmark::State& state) {
  const Folder folder;
  const std::vector<float> piece(kElements, 1.0f);
  const std::string path = folder.File("raw"), fresh = path + ".new";
  for (auto unused : state) {
    const int file = open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    for (int64_t i = 0; i < kVariables; ++i) {
      if (write(file, piece.data(), kElements * sizeof(float)) < 0) {
        state.SkipWithError("cannot write");
      }
    }
    fsync(file);
    close(file);
    std::filesystem::rename(fresh, path);
  }
  state.SetBytesProcessed(state.iterations() * kBytes);
}

void RawRead(benchmark::State& state) {
  const Folder folder;
  const std::vector<float> written(kVariables * kElements, 1.0f);
  const std::string path = folder.File("raw");
  const int made = open(path.c_str(), O_WRONLY | O_CREAT, 0644);
  if (write(made, written.data(), kBytes) != kBytes) {
    state.SkipWithError("cannot write");
  }
  close(made);
  for (auto unused : state) {
    const std::unique_ptr<float[]> memory(new float[kVariables * kElements]);
    const int file = open(path.c_str(), O_RDONLY);
    if (read(file, memory.get(), kBytes) != kBytes) {
      state.SkipWithError("cannot read");
    }
    close(file);
    benchmark::DoNotOptimize(memory[kElements]);
  }
  state.SetBytesProcessed(state.iterations() * kBytes);
}

void RegisterAll() {
  using Function = void (*)(benchmark::State&);
  const std::vector<std::pair<const char*, Function>> operations = {
      {"save", SaveDurably},
      {"save_without_fsync", SaveWithoutFsync},
      {"raw_write", RawWrite},
      {"restore", Restore},
      {"raw_read", RawRead}};
  for (const auto& [operation, function] : operations) {
    const auto name = EntryName("Checkpoint")
                          .With("operation", operation)
                          .With("bytes", kBytes);
    benchmark::RegisterBenchmark(name.str().c_str(), function)
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
  }
}

}  // namespace
}  // namespace lockstep::benchmarks

int main(int argc, char** argv) {
  using namespace lockstep::benchmarks;
  return RunBenchmarks(argc, argv, RegisterAll);
}
