// The speed of all-reduces between replicas on GPUs.
//
//   ./bazelw run //benchmarks/micro:gpu_all_reduce_benchmark -- --help
//
// A sample is the time of `--iterations` consecutive all-reduces in a queue,
// from when all ranks begin to when the last GPU is done, divided by their
// number: as in training, the host does not wait in between. Replicas beyond
// the number of GPUs are logical devices of the first one. Each result is
// compared with the sum, element by element.
//
// Exit status: 0; 1 when a sum is wrong, something fails or there is no GPU; 2
// for a wrong command line.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <barrier>
#include <chrono>
#include <exception>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "benchmarks/measurement/machine_context.h"
#include "benchmarks/micro/all_reduce_table.h"
#include "command_line/parse.h"
#include "command_line/program.h"
#include "reference/base/atomic_file.h"
#include "reference/base/json.h"
#include "reference/collectives/cross_device_ops.h"
#include "reference/collectives/in_process_group.h"
#include "reference/device/device.h"

namespace lockstep::benchmarks {
namespace {

struct Options {
  std::vector<int> replicas = {2};
  std::vector<std::string> algorithms = {"default"};
  std::string dtype = "float32";
  std::string redop = "sum";
  int64_t min_bytes = 8;
  int64_t max_bytes = int64_t{128} << 20;
  int factor = 4;
  int warm_up = 5;
  int iterations = 20;
  int repetitions = 5;
  std::string json;
};

void AddOptions(CLI::App& app, Options& options) {
  app.add_option("--replicas", options.replicas,
                 "numbers of replicas, separated by commas")
      ->delimiter(',')
      ->check(WholeNumber(1, 64))
      ->capture_default_str();
  app.add_option("--algorithms", options.algorithms,
                 "default (what a strategy takes), shared_memory, "
                 "hierarchical_copy, reduction_to_one_device")
      ->delimiter(',')
      ->check(CLI::IsMember({"default", "shared_memory", "hierarchical_copy",
                             "reduction_to_one_device"}))
      ->capture_default_str();
  app.add_option("--dtype", options.dtype, "type of the elements")
      ->check(CLI::IsMember(
          {"float32", "float64", "float16", "bfloat16", "int32", "int64"}))
      ->capture_default_str();
  app.add_option("--redop", options.redop, "sum or mean")
      ->check(CLI::IsMember({"sum", "mean"}))
      ->capture_default_str();
  app.add_option("--min_bytes", options.min_bytes, "the smallest size")
      ->check(WholeNumber(int64_t{8}, int64_t{1} << 34))
      ->capture_default_str();
  app.add_option("--max_bytes", options.max_bytes, "the largest size")
      ->check(WholeNumber(int64_t{8}, int64_t{1} << 34))
      ->capture_default_str();
  app.add_option("--factor", options.factor, "from one size to the next")
      ->check(WholeNumber(2, 1024))
      ->capture_default_str();
  app.add_option("--warm_up", options.warm_up, "all-reduces before timing")
      ->check(WholeNumber(1, 10000))
      ->capture_default_str();
  app.add_option("--iterations", options.iterations, "all-reduces in a sample")
      ->check(WholeNumber(1, 100000))
      ->capture_default_str();
  app.add_option("--repetitions", options.repetitions, "samples of each size")
      ->check(WholeNumber(1, 1000))
      ->capture_default_str();
  app.add_option("--json", options.json, "file to write the result to");
}

std::vector<Device*> Gpus() {
  std::vector<Device*> gpus;
  for (Device* device : ListLogicalDevices()) {
    if (device->kind() == DeviceKind::kGpu) gpus.push_back(device);
  }
  return gpus;
}

// `replicas` logical GPUs, as few as possible on the first. Errors: NotFound
// without a GPU.
std::vector<Device*> DevicesFor(int replicas) {
  SetLogicalGpuDevices(0, 1);
  const int gpus = static_cast<int>(Gpus().size());
  if (replicas > gpus) SetLogicalGpuDevices(0, replicas - gpus + 1);
  std::vector<Device*> devices = Gpus();
  devices.resize(replicas);
  return devices;
}

// nullptr: the one for the devices.
std::shared_ptr<const CrossDeviceOps> MakeOps(const std::string& algorithm) {
  if (algorithm == "shared_memory") {
    return std::make_shared<SharedMemoryAllReduce>();
  }
  if (algorithm == "hierarchical_copy") {
    return std::make_shared<HierarchicalCopyAllReduce>();
  }
  if (algorithm == "reduction_to_one_device") {
    return std::make_shared<ReductionToOneDevice>();
  }
  return nullptr;
}

// Small whole numbers: the sums are exact in every type and order.
double ValueOf(int64_t element, int rank) {
  return static_cast<double>(element % 5 + rank % 4);
}

Tensor InputOf(int rank, const AllReduceTiming& timing, Device& device) {
  Tensor values =
      Tensor::Empty(Shape{timing.count}, DType::kFloat64, Device::Host());
  for (int64_t i = 0; i < timing.count; ++i) {
    values.mutable_data<double>()[i] = ValueOf(i, rank);
  }
  return values.Cast(timing.dtype).To(device);
}

int64_t CountWrong(const Tensor& result, const AllReduceTiming& timing) {
  const Tensor values = result.ToHost().Cast(DType::kFloat64);
  // A narrow type may not represent the mean: it is rounded as a sum would be.
  Tensor wanted =
      Tensor::Zeros(Shape{timing.count}, DType::kFloat64, Device::Host());
  double* sums = wanted.mutable_data<double>();
  for (int64_t i = 0; i < timing.count; ++i) {
    for (int r = 0; r < timing.ranks; ++r) sums[i] += ValueOf(i, r);
    if (timing.op == ReduceOp::kMean) sums[i] /= timing.ranks;
  }
  const Tensor rounded = wanted.Cast(result.dtype()).Cast(DType::kFloat64);
  int64_t wrong = 0;
  for (int64_t i = 0; i < timing.count; ++i) {
    wrong += values.at<double>(i) != rounded.at<double>(i);
  }
  return wrong;
}

// One rank's part of a measurement, on its own thread.
class Rank {
 public:
  Rank(Group& group, Device& device, const AllReduceTiming& timing)
      : group_(group),
        device_(device),
        op_(timing.op),
        input_({InputOf(group.rank(), timing, device)}) {}

  void Run(int times) {
    DeviceScope scope(device_);
    for (int i = 0; i < times; ++i) {
      output_ = {};  // gives its memory back to the pool
      output_ = group_.AllReduce(op_, input_, {}).Wait();
    }
    device_.memory()->Synchronize();
  }
  const Tensor& output() const { return output_[0]; }

 private:
  Group& group_;
  Device& device_;
  const ReduceOp op_;
  const std::vector<Tensor> input_;
  std::vector<Tensor> output_;
};

// Seconds from when all ranks begin to when the last is done. Errors: that of
// the lowest rank which another's did not cause.
double RunTogether(std::vector<std::unique_ptr<Rank>>& ranks,
                   Rendezvous& rendezvous, int times) {
  using Clock = std::chrono::steady_clock;
  std::barrier begin(static_cast<std::ptrdiff_t>(ranks.size()) + 1);
  std::vector<std::exception_ptr> errors(ranks.size());
  std::vector<Clock::time_point> ends(ranks.size());
  std::vector<std::thread> threads;
  for (size_t r = 0; r < ranks.size(); ++r) {
    threads.emplace_back([&, r] {
      begin.arrive_and_wait();
      try {
        ranks[r]->Run(times);
        ends[r] = Clock::now();
        rendezvous.Leave();
      } catch (...) {
        errors[r] = std::current_exception();
        rendezvous.Abort();
      }
    });
  }
  begin.arrive_and_wait();
  const auto begun = Clock::now();
  for (std::thread& thread : threads) thread.join();
  rendezvous.Reset();
  std::exception_ptr consequence;
  for (const std::exception_ptr& error : errors) {
    try {
      if (error) std::rethrow_exception(error);
    } catch (const PeerFailure&) {
      consequence = error;
    }
  }
  if (consequence) std::rethrow_exception(consequence);
  const std::chrono::duration<double> seconds = std::ranges::max(ends) - begun;
  return seconds.count();
}

void Measure(const Options& options, const std::vector<Device*>& devices,
             const std::vector<std::unique_ptr<Group>>& groups,
             Rendezvous& rendezvous, AllReduceTiming& timing) {
  std::vector<std::unique_ptr<Rank>> ranks;
  for (int r = 0; r < timing.ranks; ++r) {
    ranks.push_back(std::make_unique<Rank>(*groups[r], *devices[r], timing));
  }
  RunTogether(ranks, rendezvous, options.warm_up);
  for (int i = 0; i < options.repetitions; ++i) {
    timing.seconds.push_back(
        RunTogether(ranks, rendezvous, options.iterations) /
        options.iterations);
  }
  for (const auto& group : groups) group->Check();
  for (const auto& rank : ranks) {
    timing.wrong += CountWrong(rank->output(), timing);
  }
}

int Run(const Options& options) {
  EnterUsersFolder();
  FindDevice("GPU:0");             // before a table of nothing
  std::optional<AtomicFile> file;  // its place is taken before a long run
  if (!options.json.empty()) file.emplace(options.json);
  Json entries = Json::array();
  int64_t wrong = 0;
  Print("{}", AllReduceTableHead());
  for (const int replicas : options.replicas) {
    const std::vector<Device*> devices = DevicesFor(replicas);
    for (const std::string& algorithm : options.algorithms) {
      const auto rendezvous = std::make_shared<Rendezvous>(replicas);
      const auto groups = MakeGroups(devices, MakeOps(algorithm), rendezvous);
      for (int64_t bytes = options.min_bytes; bytes <= options.max_bytes;
           bytes *= options.factor) {
        AllReduceTiming timing{.algorithm = std::string(groups[0]->algorithm()),
                               .ranks = replicas,
                               .dtype = ParseDType(options.dtype),
                               .op = ParseReduceOp(options.redop)};
        timing.count = bytes / static_cast<int64_t>(DTypeSize(timing.dtype));
        Measure(options, devices, groups, *rendezvous, timing);
        Print("{}", AllReduceTableLine(timing));
        wrong += timing.wrong;
        entries.push_back(AllReduceEntry(timing));
      }
    }
  }
  if (file) {
    const Json result = {{"context", MachineContext()},
                         {"benchmarks", entries}};
    file->Append(result.dump(2) + "\n");
    file->Commit();
  }
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace lockstep::benchmarks

int main(int argc, char** argv) {
  using namespace lockstep::benchmarks;
  return lockstep::RunProgram([&] {
    Options options;
    CLI::App app{"Times all-reduces between replicas on GPUs.",
                 "gpu_all_reduce_benchmark"};
    AddOptions(app, options);
    const auto status = lockstep::ParseCommandLine(app, argc, argv);
    return status ? *status : Run(options);
  });
}
