#include "benchmarks/micro/all_reduce_table.h"

#include <fmt/core.h>

#include <cctype>
#include <nlohmann/json.hpp>

#include "benchmarks/measurement/result_entry.h"

namespace lockstep::benchmarks {
namespace {

std::string OpName(ReduceOp op) {
  return op == ReduceOp::kSum ? "sum" : "mean";
}

// "nccl_all_reduce" for "NcclAllReduce".
std::string SnakeCase(const std::string& camel_case) {
  std::string snake;
  for (const char c : camel_case) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isupper(byte) && !snake.empty()) snake += '_';
    snake += static_cast<char>(std::tolower(byte));
  }
  return snake;
}

}  // namespace

double MedianSeconds(const AllReduceTiming& timing) {
  return Median(timing.seconds);
}

double AlgBandwidth(const AllReduceTiming& timing) {
  if (timing.bytes() == 0) return 0;
  return static_cast<double>(timing.bytes()) / MedianSeconds(timing);
}

double BusBandwidth(const AllReduceTiming& timing) {
  return AlgBandwidth(timing) * 2 * (timing.ranks - 1) / timing.ranks;
}

std::string AllReduceTableHead() {
  return fmt::format(
      "#{:>11} {:>13} {:>9} {:>7} {:>6} {:>10} {:>8} {:>8} {:>7}  {}\n"
      "#{:>11} {:>13} {:>9} {:>7} {:>6} {:>10} {:>8} {:>8}\n",
      "size", "count", "type", "redop", "ranks", "time", "algbw", "busbw",
      "#wrong", "algorithm", "(B)", "(elements)", "", "", "", "(us)", "(GB/s)",
      "(GB/s)");
}

std::string AllReduceTableLine(const AllReduceTiming& timing) {
  return fmt::format(
      "{:>12} {:>13} {:>9} {:>7} {:>6} {:>10.2f} {:>8.2f} {:>8.2f} {:>7}  {}\n",
      timing.bytes(), timing.count, DTypeName(timing.dtype), OpName(timing.op),
      timing.ranks, MedianSeconds(timing) * 1e6, AlgBandwidth(timing) / 1e9,
      BusBandwidth(timing) / 1e9, timing.wrong, timing.algorithm);
}

Json AllReduceEntry(const AllReduceTiming& timing) {
  Json samples = Json::array();
  for (const double seconds : timing.seconds) samples.push_back(seconds * 1e6);
  return {{"name", EntryName("AllReduce")
                       .With("algorithm", SnakeCase(timing.algorithm))
                       .With("dtype", DTypeName(timing.dtype))
                       .With("redop", OpName(timing.op))
                       .With("bytes", timing.bytes())
                       .With("replicas", timing.ranks)
                       .With("device", "gpu")
                       .str()},
          {"run_type", "aggregate"},
          {"aggregate_name", "median"},
          {"real_time", MedianSeconds(timing) * 1e6},
          {"time_unit", "us"},
          {"algbw", AlgBandwidth(timing)},
          {"busbw", BusBandwidth(timing)},
          {"wrong", timing.wrong},
          {"samples_us", samples}};
}

}  // namespace lockstep::benchmarks
