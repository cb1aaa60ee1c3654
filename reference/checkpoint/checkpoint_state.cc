#include "reference/checkpoint/checkpoint_state.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <filesystem>

#include "reference/base/atomic_file.h"
#include "reference/base/error.h"
#include "reference/base/log.h"
#include "reference/checkpoint/checkpoint_state.pb.h"
#include "reference/tensor_bundle/bundle_files.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using checkpoint::CheckpointStateProto;

std::string StateFile(const std::string& folder) {
  return fs::path(folder) / kCheckpointStateFile;
}

// Keeps the parser's first error. By default the parser prints errors.
class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& message) override {
    if (!text.empty()) return;
    text = fmt::format("line {}, column {}: {}", line + 1, column + 1, message);
  }
  std::string text;
};

CheckpointStateProto ParseState(const std::string& text,
                                const std::string& file) {
  FirstError error;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  parser.AllowUnknownField(false);
  CheckpointStateProto proto;
  if (!parser.ParseFromString(text, &proto)) {
    throw DataLoss("[CheckpointState] {} is damaged: {}", file, error.text);
  }
  return proto;
}

std::string Relative(const std::string& path, const std::string& folder) {
  const fs::path relative =
      fs::absolute(path).lexically_normal().lexically_relative(
          fs::absolute(folder).lexically_normal() / "");
  if (relative == kCheckpointStateFile) {
    throw InvalidArgument(
        "[CheckpointState] the checkpoint '{}' collides with the state file",
        path);
  }
  return relative;
}

std::string Absolute(const std::string& path, const std::string& folder) {
  return fs::path(folder) / path;  // an absolute path stays as it is
}

}  // namespace

std::optional<CheckpointState> ReadCheckpointState(const std::string& folder) {
  const std::string file = StateFile(folder);
  if (!tensor_bundle_internal::FileExists(file)) return std::nullopt;
  const CheckpointStateProto proto =
      ParseState(tensor_bundle_internal::ReadFileRange(
                     file, 0, tensor_bundle_internal::FileSize(file)),
                 file);
  CheckpointState state;
  state.model_checkpoint_path = Absolute(proto.model_checkpoint_path(), folder);
  for (const std::string& path : proto.all_model_checkpoint_paths()) {
    state.all_model_checkpoint_paths.push_back(Absolute(path, folder));
  }
  state.all_model_checkpoint_timestamps.assign(
      proto.all_model_checkpoint_timestamps().begin(),
      proto.all_model_checkpoint_timestamps().end());
  state.last_preserved_timestamp = proto.last_preserved_timestamp();
  return state;
}

void WriteCheckpointState(const std::string& folder,
                          const CheckpointState& state, Durability durability) {
  CheckpointStateProto proto;
  proto.set_model_checkpoint_path(
      Relative(state.model_checkpoint_path, folder));
  for (const std::string& path : state.all_model_checkpoint_paths) {
    proto.add_all_model_checkpoint_paths(Relative(path, folder));
  }
  for (const double timestamp : state.all_model_checkpoint_timestamps) {
    proto.add_all_model_checkpoint_timestamps(timestamp);
  }
  proto.set_last_preserved_timestamp(state.last_preserved_timestamp);
  std::string text;
  google::protobuf::TextFormat::PrintToString(proto, &text);
  AtomicFile file(StateFile(folder), durability);
  file.Append(text);
  file.Commit();
}

std::optional<std::string> LatestCheckpoint(const std::string& folder) {
  const std::optional<CheckpointState> state = ReadCheckpointState(folder);
  if (!state || state->model_checkpoint_path.empty()) return std::nullopt;
  const std::string& path = state->model_checkpoint_path;
  if (tensor_bundle_internal::BundleExists(path)) return path;
  LogWarning("[LatestCheckpoint] {} names {}, which does not exist",
             StateFile(folder), path);
  return std::nullopt;
}

}  // namespace lockstep
