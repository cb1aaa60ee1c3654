#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/data/sources/file_source.h"
#include "reference/data/sources/input_file.h"
#include "reference/data/sources/sources.h"

namespace lockstep::data_internal {
namespace {

constexpr std::string_view kOperation = "FromTextLines";

class TextFile final : public RecordFile {
 public:
  TextFile(const std::string& name, Compression compression)
      : file_(kOperation, name, compression) {}

  bool Next(std::string* line) override {
    bool any = false;
    for (std::string_view piece; !(piece = file_.Peek()).empty();) {
      any = true;
      const size_t end = piece.find('\n');
      line->append(piece.substr(0, end));
      if (end == std::string_view::npos) {
        file_.Skip(std::ssize(piece));
        continue;
      }
      file_.Skip(static_cast<int64_t>(end) + 1);
      if (line->ends_with('\r')) line->pop_back();
      break;
    }
    return any;
  }

 private:
  InputFile file_;
};

}  // namespace

NodePtr MakeTextLines(std::vector<std::string> files, Compression compression) {
  return MakeFileSource(
      "TextLines", kOperation, std::move(files),
      [compression](const std::string& file) {
        return std::make_unique<TextFile>(file, compression);
      },
      Arguments().Add("compression", CompressionName(compression),
                      CompressionName(Compression::kNone)));
}

}  // namespace lockstep::data_internal
