#include "reference/training/summary/summary_writer.h"

#include <limits.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>

#include "reference/base/encoding/record.h"
#include "reference/base/error.h"
#include "reference/base/files/folder.h"
#include "reference/base/log.h"
#include "reference/training/summary/event.pb.h"
#include "reference/training/summary/histogram_buckets.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr size_t kBufferBytes = 64 << 10;

double SecondsSince1970() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

std::string HostName() {
  char name[HOST_NAME_MAX + 1] = {};
  if (gethostname(name, HOST_NAME_MAX) != 0) return "localhost";
  return name;
}

// Returns a name that no other writer uses, in this process or another.
std::unique_ptr<AppendedFile> MakeEventFile(const std::string& folder) {
  static std::atomic<int> count{0};
  const auto seconds = static_cast<int64_t>(SecondsSince1970());
  const std::string host = HostName();
  for (;;) {
    const std::string name =
        fmt::format("events.out.tfevents.{}.{}.{}.{}.v2", seconds, host,
                    getpid(), count.fetch_add(1));
    if (auto file = AppendedFile::MakeNew(fs::path(folder) / name)) return file;
  }
}

void AddDim(summary::TensorProto& tensor, size_t size) {
  tensor.mutable_tensor_shape()->add_dim()->set_size(
      static_cast<int64_t>(size));
}

}  // namespace

SummaryWriter::SummaryWriter(const std::string& folder) {
  if (folder.empty()) {
    throw InvalidArgument("[SummaryWriter] the folder's name is empty");
  }
  MakeFolder(folder);
  file_ = MakeEventFile(folder);
  summary::Event version;
  version.set_file_version("brain.Event:2");
  AddEvent(version);
  Flush();
}

SummaryWriter::~SummaryWriter() {
  try {
    Flush();
  } catch (const Error& error) {
    LogWarning("[SummaryWriter] {} is not complete: {}", path(), error.what());
  }
}

void SummaryWriter::AddEvent(summary::Event& event) {
  event.set_wall_time(SecondsSince1970());
  AppendRecord(event.SerializeAsString(), buffer_);
  if (buffer_.size() >= kBufferBytes) Write();
}

void SummaryWriter::AddValue(const std::string& tag, int64_t step,
                             const Plugin& plugin,
                             const summary::TensorProto& tensor) {
  summary::Event event;
  event.set_step(step);
  summary::Summary::Value& value = *event.mutable_summary()->add_value();
  value.set_tag(tag);
  *value.mutable_tensor() = tensor;
  // Readers need it with the first value of a tag, which may be in any file.
  summary::SummaryMetadata& metadata = *value.mutable_metadata();
  metadata.mutable_plugin_data()->set_plugin_name(plugin.name);
  metadata.set_data_class(static_cast<summary::DataClass>(plugin.data_class));
  AddEvent(event);
}

void SummaryWriter::Scalar(const std::string& tag, int64_t step, double value) {
  summary::TensorProto tensor;
  tensor.set_dtype(summary::DT_FLOAT);
  tensor.mutable_tensor_shape();
  tensor.add_float_val(static_cast<float>(value));
  AddValue(tag, step, {"scalars", summary::DATA_CLASS_SCALAR}, tensor);
}

void SummaryWriter::Histogram(const std::string& tag, int64_t step,
                              const Tensor& values) {
  const auto buckets = summary_internal::HistogramBuckets(values);
  summary::TensorProto tensor;
  tensor.set_dtype(summary::DT_DOUBLE);
  AddDim(tensor, buckets.size());
  AddDim(tensor, 3);
  for (const summary_internal::Bucket& bucket : buckets) {
    for (const double number : {bucket.left, bucket.right, bucket.count}) {
      tensor.add_double_val(number);
    }
  }
  AddValue(tag, step, {"histograms", summary::DATA_CLASS_TENSOR}, tensor);
}

void SummaryWriter::Text(const std::string& tag, int64_t step,
                         const std::string& text) {
  summary::TensorProto tensor;
  tensor.set_dtype(summary::DT_STRING);
  AddDim(tensor, 1);
  tensor.add_string_val(text);
  AddValue(tag, step, {"text", summary::DATA_CLASS_TENSOR}, tensor);
}

void SummaryWriter::Write() {
  if (buffer_.empty()) return;
  file_->Append(buffer_);
  buffer_.clear();
}

void SummaryWriter::Flush() {
  Write();
  file_->Sync();
}

}  // namespace lockstep
