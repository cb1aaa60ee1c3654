#include "datasets/idx_testing.h"

#include <zlib.h>

#include "reference/base/check.h"

namespace lockstep {

std::string MakeIdx(uint8_t code, const std::vector<uint32_t>& dims,
                    std::string_view payload) {
  std::string bytes = {0, 0, static_cast<char>(code),
                       static_cast<char>(dims.size())};
  for (const uint32_t dim : dims) {
    for (int shift = 24; shift >= 0; shift -= 8) {
      bytes += static_cast<char>(dim >> shift);
    }
  }
  return bytes.append(payload);
}

std::string Gzip(std::string_view bytes) {
  z_stream stream{};
  LOCKSTEP_CHECK(deflateInit2(&stream, 9, Z_DEFLATED, MAX_WBITS + 16, 8,
                              Z_DEFAULT_STRATEGY) == Z_OK);
  std::string archive(deflateBound(&stream, bytes.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(archive.data());
  stream.avail_out = static_cast<uInt>(archive.size());
  LOCKSTEP_CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  archive.resize(stream.total_out);
  deflateEnd(&stream);
  return archive;
}

}  // namespace lockstep
