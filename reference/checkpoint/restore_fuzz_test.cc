// For any bytes, a bundle is read or refused with an Error. The input is used as
// an index file, as an index entry and as an object graph. The last two have
// valid checksums.
#include <cstddef>
#include <cstdint>
#include <string>

#include "reference/autodiff/trackable.h"
#include "reference/base/encoding/crc32c.h"
#include "reference/base/fuzzing/fuzzed_files.h"
#include "reference/checkpoint/object_graph.h"
#include "reference/checkpoint/object_restore.h"
#include "reference/tensor_bundle/index_table.h"
#include "reference/tensor_bundle/tensor_bundle.h"
#include "reference/tensor_bundle/tensor_bundle.pb.h"
#include "reference/tensor_bundle/tensor_codec.h"

namespace {

using namespace lockstep;                          // NOLINT: a test
using namespace lockstep::checkpoint_internal;     // NOLINT: of this folder
using namespace lockstep::tensor_bundle_internal;  // NOLINT: and one below

std::string Prefix() { return FuzzedFile("fuzzed_bundle"); }

void ReadAll(const std::string& index, const std::string& data) {
  WriteFuzzed(Prefix() + ".index", index);
  WriteFuzzed(Prefix() + ".data-00000-of-00001", data);
  AllowErrors([] {
    const TensorBundleReader reader(Prefix());
    for (const std::string& key : reader.keys()) {
      AllowErrors([&] { reader.Read(key); });
    }
  });
}

std::string Header() {
  tensor_bundle::BundleHeaderProto header;
  header.set_num_shards(1);
  return header.SerializeAsString();
}

void ReadAsEntry(const std::string& input) {
  ReadAll(BuildIndexTable({{"", Header()}, {"v", input}}), input);
}

// Does not use TensorBundleWriter, which waits for the disk.
void RestoreAsGraph(const std::string& input) {
  tensor_bundle::BundleEntryProto entry;
  std::string data;
  entry.set_crc32c(MaskCrc32c(EncodeTensor(
      Tensor::Scalar(input), [&](std::string_view bytes) { data += bytes; })));
  entry.set_dtype(tensor_bundle::DT_STRING);
  entry.set_size(static_cast<int64_t>(data.size()));
  WriteFuzzed(Prefix() + ".index",
              BuildIndexTable({{"", Header()},
                               {kObjectGraphKey, entry.SerializeAsString()}}));
  WriteFuzzed(Prefix() + ".data-00000-of-00001", data);
  AllowErrors([] {
    Trackable root, part;
    root.TrackChild("v", part);
    ObjectRestore::Start(Prefix(), root)->ExpectPartial();
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string input(reinterpret_cast<const char*>(data), size);
  ReadAll(input, input);
  ReadAsEntry(input);
  RestoreAsGraph(input);
  return 0;
}
