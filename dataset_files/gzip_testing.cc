#include "dataset_files/gzip_testing.h"

#include "reference/base/encoding/compression.h"

namespace lockstep {

std::string Gzip(std::string_view bytes) {
  std::string archive;
  const auto append = [&](std::string_view piece) { archive += piece; };
  Deflater deflater(Compression::kGzip);
  deflater.Add(bytes, append);
  deflater.Finish(append);
  return archive;
}

}  // namespace lockstep
