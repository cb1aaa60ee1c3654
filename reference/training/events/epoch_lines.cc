#include "reference/training/events/epoch_lines.h"

#include <fmt/core.h>

#include <cmath>

namespace lockstep {
namespace {

// "3s", "12ms", "350us".
std::string Rounded(double seconds) {
  if (seconds >= 1) return fmt::format("{:.0f}s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.0f}ms", seconds * 1e3);
  return fmt::format("{:.0f}us", seconds * 1e6);
}

}  // namespace

std::string ToString(const Logs& logs) {
  std::string text;
  for (const auto& [name, value] : logs.items()) {
    if (!text.empty()) text += " - ";
    // As in Keras: four digits after the point, or an exponent for small numbers.
    text += std::abs(value) > 1e-3 || value == 0
                ? fmt::format("{}: {:.4f}", name, value)
                : fmt::format("{}: {:.4e}", name, value);
  }
  return text;
}

void EpochLines::OnEpochBegin(int epoch) {
  if (!parameters().is_chief) return;
  fmt::print(out_, "Epoch {}/{}\n", epoch + 1, parameters().epochs);
  std::fflush(out_);
  bar_.emplace(parameters().steps.value_or(0), "steps");
  bar_->SetLabel(fmt::format("epoch {}/{}", epoch + 1, parameters().epochs));
  start_ = Clock::now();
  steps_ = 0;
}

void EpochLines::OnTrainBatchEnd(int64_t batch, const LazyLogs& /*logs*/) {
  if (!bar_) return;
  bar_->Advance(batch + 1 - steps_);
  steps_ = batch + 1;
}

void EpochLines::OnEpochEnd(int /*epoch*/, Logs& logs) {
  if (!bar_) return;
  bar_.reset();
  const std::chrono::duration<double> time = Clock::now() - start_;
  const double each =
      steps_ == 0 ? 0 : time.count() / static_cast<double>(steps_);
  fmt::print(out_, "{}/{} - {:.0f}s - {}/step - {}\n", steps_,
             parameters().steps.value_or(steps_), time.count(), Rounded(each),
             ToString(logs));
  std::fflush(out_);
}

void EpochLines::OnClose() { bar_.reset(); }

}  // namespace lockstep
