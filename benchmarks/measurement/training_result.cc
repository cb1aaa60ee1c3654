#include "benchmarks/measurement/training_result.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string_view>

#include "benchmarks/measurement/result_entry.h"

namespace lockstep::benchmarks {
namespace {

Json ToJson(const EpochResult& epoch, const Quality& quality) {
  Json fields = {{"epoch_num", epoch.epoch_num},
                 {"loss", epoch.loss},
                 {"test_loss", epoch.test_loss},
                 {"eval_" + quality.name, quality.scale * epoch.test_quality},
                 {"seconds", epoch.seconds},
                 {"items_per_second", epoch.items_per_second}};
  if (epoch.quality) fields[quality.name] = quality.scale * *epoch.quality;
  return fields;
}

Json ToJson(const Quality& quality) {
  return {
      {"name", quality.name}, {"label", quality.label}, {"unit", quality.unit}};
}

Json BreakdownToJson(const TrainingResult& result) {
  Json breakdown = Json::object();
  for (size_t phase = 0; phase < kPhases; ++phase) {
    if (!result.phase_ms[phase]) continue;
    breakdown[std::string(PhaseKey(static_cast<Phase>(phase)))] =
        *result.phase_ms[phase];
  }
  return breakdown;
}

// In tenths of microseconds: further digits are noise, and long in a file.
Json RoundedToJson(const std::vector<double>& milliseconds) {
  Json rounded = Json::array();
  for (const double each : milliseconds) {
    rounded.push_back(std::round(each * 1e4) / 1e4);
  }
  return rounded;
}

Json SamplesToJson(const TrainingResult& result) {
  Json samples = {{"steps_per_block", result.steps_per_block},
                  {"items_per_second", result.blocks}};
  if (result.step_ms) {
    samples["step_ms"] = RoundedToJson(result.step_ms->wall);
    samples["step_cpu_ms"] = RoundedToJson(result.step_ms->cpu);
  }
  return samples;
}

// From the end of the backward pass until the summed gradients are there.
std::optional<double> ExposedCommunication(const TrainingResult& result) {
  return result.phase_ms[static_cast<size_t>(Phase::kReduce)];
}

std::string NameOf(const TrainingResult& result) {
  EntryName name("Train");
  name.With("workload", result.workload);
  if (result.workers > 1) name.With("workers", result.workers);
  name.With("replicas", result.replicas)
      .With("global_batch_size", result.global_batch_size);
  if (!result.mirrored) name.With("strategy", "none");
  if (result.precision != "float32") name.With("precision", result.precision);
  return name.With("device", result.device).str();
}

// The run of one worker with so many replicas, under a strategy or without;
// nullptr where there is none.
const TrainingResult* FindOneWorker(const std::vector<TrainingResult>& all,
                                    int replicas, bool mirrored) {
  const auto one = std::ranges::find_if(all, [&](const TrainingResult& run) {
    return run.workers == 1 && run.replicas == replicas &&
           run.mirrored == mirrored;
  });
  return one == all.end() ? nullptr : &*one;
}

// Examples/s over `base`'s, epoch by epoch.
std::optional<double> MedianSpeedup(const TrainingResult& result,
                                    const TrainingResult& base) {
  std::vector<double> ratios;
  const size_t epochs = std::min(result.epochs.size(), base.epochs.size());
  for (size_t i = 0; i < epochs; ++i) {
    const double items_per_second = base.epochs[i].items_per_second;
    if (items_per_second <= 0) continue;
    ratios.push_back(result.epochs[i].items_per_second / items_per_second);
  }
  if (ratios.empty()) return std::nullopt;
  return Median(std::move(ratios));
}

Json LibraryToJson(const LibraryTime& library, double step_milliseconds) {
  Json entry = {{"calls", library.calls},
                {"milliseconds", library.milliseconds}};
  if (library.milliseconds > 0) {
    entry["step_over_library"] = step_milliseconds / library.milliseconds;
  }
  return entry;
}

int64_t Mebibytes(int64_t bytes) { return (bytes + (1 << 19)) >> 20; }

bool AnyHasWorkers(const std::vector<TrainingResult>& all) {
  return std::ranges::any_of(all,
                             [](const auto& run) { return run.workers > 1; });
}

std::string FormatRow(const TrainingResult& result,
                      const std::vector<TrainingResult>& all) {
  const std::optional<double> efficiency = Efficiency(result, all);
  const double rate = ItemsPerSecond(result);
  std::string row =
      AnyHasWorkers(all) ? fmt::format("{:>7} ", result.workers) : "";
  row +=
      fmt::format("{:>7}{} {:>8} {:>7} {:>12} {:>11}", result.replicas,
                  result.mirrored ? ' ' : '*', result.threads_per_replica,
                  result.global_batch_size, rate > 0 ? FormatRate(rate) : "-",
                  efficiency ? fmt::format("{:.3f}", *efficiency) : "-");
  for (const std::optional<double>& milliseconds : result.phase_ms) {
    row += fmt::format(
        " {:>8}", milliseconds ? fmt::format("{:.2f}", *milliseconds) : "-");
  }
  if (result.memory) {
    row += fmt::format(" {:>8} {:>8}", Mebibytes(result.memory->bytes_in_use),
                       Mebibytes(result.memory->peak_bytes));
  }
  if (!result.epochs.empty()) {
    row += fmt::format(" {:>8.4f} {:>12}", result.epochs.back().loss,
                       result.quality.Show(result.epochs.back().test_quality));
  }
  return row + "\n";
}

// Of several workers.
std::string FormatWorkersNotes(const TrainingResult& result,
                               const std::vector<TrainingResult>& all) {
  std::string notes;
  const std::string label =
      fmt::format("{} workers x {} replica{}", result.workers, result.replicas,
                  result.replicas == 1 ? "" : "s");
  if (const auto communication = CommunicationOf(result)) {
    notes += fmt::format(
        "{}: summing the gradients takes {:.1f} % of a step once the last "
        "replica has come, {:.3f} ms.\n",
        label, 100 * communication->share, communication->milliseconds);
  }
  if (const auto ratio = OverOneWorker(result, all)) {
    notes += fmt::format(
        "{}: {:.3f} times the {}s/s of one process with {} replicas.\n", label,
        *ratio, result.item, result.workers * result.replicas);
  }
  return notes;
}

// Lines below the table.
std::string FormatNotes(const TrainingResult& result,
                        const std::vector<TrainingResult>& all) {
  std::string notes;
  if (!result.mirrored) notes += "* without a strategy\n";
  if (result.workers > 1) notes += FormatWorkersNotes(result, all);
  if (const auto overhead = StrategyOverhead(result, all)) {
    notes += fmt::format(
        "At one replica a step takes {:.2f} % {} under the strategy than "
        "without one.\n",
        100 * std::abs(*overhead), *overhead < 0 ? "less" : "more");
  }
  if (result.library && result.library->milliseconds > 0) {
    notes += fmt::format(
        "At one replica a step takes {:.2f} times what its {} calls of cuDNN "
        "and cuBLASLt take alone, {:.3f} ms.\n",
        StepMilliseconds(result) / result.library->milliseconds,
        result.library->calls, result.library->milliseconds);
  }
  return notes;
}

}  // namespace

std::string FormatRate(double items_per_second) {
  return fmt::format("{:.{}f}", items_per_second,
                     items_per_second < 100 ? 2 : 0);
}

double ItemsPerSecond(const TrainingResult& result) {
  if (!result.blocks.empty()) return Median(result.blocks);
  std::vector<double> epochs;
  for (const EpochResult& epoch : result.epochs) {
    epochs.push_back(epoch.items_per_second);
  }
  return epochs.empty() ? 0 : Median(epochs);
}

double StepMilliseconds(const TrainingResult& result) {
  const double items_per_second = ItemsPerSecond(result);
  if (items_per_second <= 0) return 0;
  return 1000.0 * static_cast<double>(result.global_batch_size) /
         items_per_second;
}

std::optional<double> Efficiency(const TrainingResult& result,
                                 const std::vector<TrainingResult>& all) {
  const TrainingResult* one = FindOneWorker(all, 1, /*mirrored=*/true);
  if (one == nullptr || !result.mirrored) return std::nullopt;
  return MedianSpeedup(result, *one);
}

std::optional<double> StrategyOverhead(const TrainingResult& result,
                                       const std::vector<TrainingResult>& all) {
  const TrainingResult* none = FindOneWorker(all, 1, /*mirrored=*/false);
  if (none == nullptr || !result.mirrored ||
      result.workers * result.replicas != 1) {
    return std::nullopt;
  }
  const std::optional<double> speedup = MedianSpeedup(*none, result);
  return speedup ? std::optional(*speedup - 1) : std::nullopt;
}

std::optional<double> OverOneWorker(const TrainingResult& result,
                                    const std::vector<TrainingResult>& all) {
  const TrainingResult* one =
      FindOneWorker(all, result.workers * result.replicas, /*mirrored=*/true);
  if (one == nullptr || result.workers == 1) return std::nullopt;
  return MedianSpeedup(result, *one);
}

std::optional<Communication> CommunicationOf(const TrainingResult& result) {
  double step = 0;
  for (const std::optional<double>& phase : result.phase_ms) {
    step += phase.value_or(0);
  }
  if (result.reduce_ms.empty() || step <= 0) return std::nullopt;
  const double sum =
      std::reduce(result.reduce_ms.begin(), result.reduce_ms.end());
  const double mean = sum / static_cast<double>(result.reduce_ms.size());
  return Communication{.milliseconds = mean, .share = mean / step};
}

Json ToJson(const TrainingResult& result,
            const std::vector<TrainingResult>& all) {
  const double items_per_second = ItemsPerSecond(result);
  Json entry = {{"name", NameOf(result)}, {"run_type", "iteration"}};
  entry["iterations"] = result.steps;
  entry["real_time"] = StepMilliseconds(result);
  entry["time_unit"] = "ms";
  entry["items_per_second"] = items_per_second;
  entry["strategy"] = result.mirrored ? "mirrored" : "none";
  entry["workers"] = result.workers;
  entry["replicas"] = result.replicas;
  entry["threads_per_replica"] = result.threads_per_replica;
  entry["global_batch_size"] = result.global_batch_size;
  entry["seed"] = result.seed;
  entry["opt_name"] = result.optimizer;
  entry["item"] = result.item;
  if (result.tokens_per_example > 0) {
    entry["tokens_per_second"] = result.tokens_per_example * items_per_second;
  }
  entry["quality"] = ToJson(result.quality);
  const std::optional<double> efficiency = Efficiency(result, all);
  entry["efficiency"] = efficiency ? Json(*efficiency) : Json(nullptr);
  if (const auto overhead = StrategyOverhead(result, all)) {
    entry["strategy_overhead"] = *overhead;
  }
  if (const auto ratio = OverOneWorker(result, all)) {
    entry["over_one_worker"] = *ratio;
  }
  entry["breakdown_ms"] = BreakdownToJson(result);
  if (const auto exposed = ExposedCommunication(result)) {
    entry["exposed_communication_ms"] = *exposed;
  }
  if (const auto communication = CommunicationOf(result)) {
    entry["communication_ms"] = communication->milliseconds;
    entry["communication_share"] = communication->share;
  }
  if (result.memory) {
    entry["device_memory"] = {{"bytes_in_use", result.memory->bytes_in_use},
                              {"peak_bytes", result.memory->peak_bytes}};
  }
  if (result.step_graphs) {
    entry["step_graphs"] = {{"eager_steps", result.step_graphs->eager_steps},
                            {"captures", result.step_graphs->captures},
                            {"launches", result.step_graphs->launches}};
  }
  if (result.library) {
    entry["library_calls"] =
        LibraryToJson(*result.library, StepMilliseconds(result));
  }
  entry["samples"] = SamplesToJson(result);
  entry["epochs"] = Json::array();
  for (const EpochResult& epoch : result.epochs) {
    entry["epochs"].push_back(ToJson(epoch, result.quality));
  }
  entry["checks"] = {{"copies_bitwise_equal", result.copies_bitwise_equal
                                                  ? Json(true)
                                                  : Json(nullptr)}};
  return entry;
}

std::string FormatTable(const std::vector<TrainingResult>& all) {
  const bool memory = std::ranges::any_of(
      all, [](const auto& run) { return run.memory.has_value(); });
  const std::string_view columns = memory ? "   memory     peak" : "";
  const std::string_view units = memory ? "      MiB      MiB" : "";
  const bool workers = AnyHasWorkers(all);
  std::string table = workers ? "workers " : "";
  table += fmt::format(
      "{:>8} {:>8} {:>7} {:>12} {:>11} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}{} "
      "{:>8} {:>12}\n",
      "replicas", "threads", "global",
      all.empty() ? "items/s" : all[0].item + "s/s", "efficiency", "input",
      "forward", "backward", "reduce", "apply", "other", columns, "loss",
      "test");
  if (workers) table += "        ";
  table += fmt::format("{:>8} {:>8} {:>7} {:>12} {:>11} {:^53}{}\n",
                       workers ? "each" : "", "each", "batch", "", "",
                       "milliseconds a step", units);
  for (const TrainingResult& result : all) table += FormatRow(result, all);
  for (const TrainingResult& result : all) table += FormatNotes(result, all);
  return table;
}

}  // namespace lockstep::benchmarks
