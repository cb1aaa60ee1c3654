#include "reference/base/encoding/compression.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <utility>

#include "reference/base/check.h"
#include "reference/base/error.h"

namespace lockstep {
namespace {

// zlib counts in 32 bits.
constexpr int64_t kMostAtOnce = 1 << 30;

// 16: gzip's header and trailer, with their checksum, in place of zlib's.
int WindowBits(Compression format) {
  LOCKSTEP_CHECK(format != Compression::kNone);
  return format == Compression::kGzip ? MAX_WBITS + 16 : MAX_WBITS;
}

// zlib does not write to its input; only its type is not const.
Bytef* AsInput(std::string_view bytes) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
}

}  // namespace

Inflater::Inflater(Compression format, std::string origin)
    : format_(format),
      origin_(std::move(origin)),
      stream_(std::make_unique<z_stream>()) {
  if (inflateInit2(stream_.get(), WindowBits(format)) != Z_OK) {
    throw ResourceExhausted("{}: no memory to decompress", origin_);
  }
}

Inflater::~Inflater() { inflateEnd(stream_.get()); }

int64_t Inflater::Inflate(std::string_view* in, std::span<char> out) {
  int64_t made = 0;
  while (made < std::ssize(out) && Step(in, out.subspan(made), &made)) {
  }
  return made;
}

bool Inflater::Step(std::string_view* in, std::span<char> out, int64_t* made) {
  if (may_end_) {
    if (in->empty()) return false;
    StartMember();
  }
  const int64_t given = std::min<int64_t>(std::ssize(*in), kMostAtOnce);
  const int64_t room = std::min<int64_t>(std::ssize(out), kMostAtOnce);
  stream_->next_in = AsInput(*in);
  stream_->avail_in = static_cast<uInt>(given);
  stream_->next_out = reinterpret_cast<Bytef*>(out.data());
  stream_->avail_out = static_cast<uInt>(room);
  const int status = inflate(stream_.get(), Z_NO_FLUSH);
  const int64_t taken = given - stream_->avail_in;
  in->remove_prefix(taken);
  bytes_taken_ += taken;
  *made += room - stream_->avail_out;
  may_end_ = status == Z_STREAM_END;
  if (status == Z_OK || status == Z_STREAM_END) return true;
  if (status == Z_BUF_ERROR && in->empty()) return false;
  throw DataLoss("{}: the archive is damaged at offset {}: {}", origin_,
                 bytes_taken_,
                 stream_->msg != nullptr ? stream_->msg : "no reason given");
}

void Inflater::StartMember() {
  if (format_ != Compression::kGzip) {
    throw DataLoss("{}: the archive ends before its file, at offset {}",
                   origin_, bytes_taken_);
  }
  inflateReset(stream_.get());
  may_end_ = false;
}

void Inflater::CheckEnd() const {
  if (may_end_) return;
  throw DataLoss("{}: the archive is truncated at offset {}", origin_,
                 bytes_taken_);
}

Deflater::Deflater(Compression format) : stream_(std::make_unique<z_stream>()) {
  constexpr int kMemoryLevel = 8;  // zlib's default
  if (deflateInit2(stream_.get(), Z_DEFAULT_COMPRESSION, Z_DEFLATED,
                   WindowBits(format), kMemoryLevel,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    throw ResourceExhausted("[Deflate] no memory to compress");
  }
}

Deflater::~Deflater() { deflateEnd(stream_.get()); }

void Deflater::Add(std::string_view bytes, const Sink& sink) {
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, kMostAtOnce);
    Run(piece, Z_NO_FLUSH, sink);
    bytes.remove_prefix(piece.size());
  }
}

void Deflater::Finish(const Sink& sink) { Run({}, Z_FINISH, sink); }

void Deflater::Run(std::string_view bytes, int flush, const Sink& sink) {
  std::array<char, 16384> out;
  stream_->next_in = AsInput(bytes);
  stream_->avail_in = static_cast<uInt>(bytes.size());
  do {
    stream_->next_out = reinterpret_cast<Bytef*>(out.data());
    stream_->avail_out = static_cast<uInt>(out.size());
    LOCKSTEP_CHECK(deflate(stream_.get(), flush) != Z_STREAM_ERROR);
    const size_t made = out.size() - stream_->avail_out;
    if (made > 0) sink({out.data(), made});
  } while (stream_->avail_out == 0);
}

}  // namespace lockstep
