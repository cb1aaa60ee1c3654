// Deflates and inflates (RFC 1951) gzip and zlib streams piece by piece, in
// constant memory, with zlib.
//
//   std::string archive;
//   const auto append = [&](std::string_view piece) { archive += piece; };
//   Deflater deflater(Compression::kGzip);
//   deflater.Add("to be or ", append);
//   deflater.Add("not to be", append);
//   deflater.Finish(append);
//
//   Inflater inflater(Compression::kGzip, "[Read] hamlet.gz");
//   char text[100];
//   std::string_view left = archive;
//   inflater.Inflate(&left, text);   // 18
//   inflater.may_end();              // true
#ifndef LOCKSTEP_REFERENCE_BASE_ENCODING_COMPRESSION_H_
#define LOCKSTEP_REFERENCE_BASE_ENCODING_COMPRESSION_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct z_stream_s;

namespace lockstep {

enum class Compression {
  kNone,
  kGzip,
  kZlib,
};

class Inflater {
 public:
  // `origin` leads messages. REQUIRES: format is not kNone. Errors:
  // ResourceExhausted if zlib gets no memory.
  Inflater(Compression format, std::string origin);
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Consumes the front of `in`, fills the front of `out`, and returns the
  // number of bytes filled. Stops when either is used up; 0 means more input is
  // needed.
  //
  // A gzip archive may have several members, whose contents are concatenated.
  // Errors: DataLoss, with the offset in the archive, for damaged bytes, and
  // for any bytes after the end of a zlib stream.
  int64_t Inflate(std::string_view* in, std::span<char> out);

  // Whether the input so far is a complete archive.
  bool may_end() const { return may_end_; }
  // The offset in the archive.
  int64_t bytes_taken() const { return bytes_taken_; }

  // To be called at the end of the input. Errors: DataLoss unless may_end().
  void CheckEnd() const;

 private:
  // False at the end of the input.
  bool Step(std::string_view* in, std::span<char> out, int64_t* made);
  void StartMember();

  const Compression format_;
  const std::string origin_;
  std::unique_ptr<z_stream_s> stream_;
  int64_t bytes_taken_ = 0;
  bool may_end_ = false;
};

class Deflater {
 public:
  using Sink = std::function<void(std::string_view)>;

  // REQUIRES: format is not kNone. Errors: ResourceExhausted if zlib has no
  // memory.
  explicit Deflater(Compression format);
  ~Deflater();
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  // Compresses bytes and passes the output to `sink`, now or later.
  void Add(std::string_view bytes, const Sink& sink);
  // Passes on the rest and the end of the archive. REQUIRES: called once, last.
  void Finish(const Sink& sink);

 private:
  void Run(std::string_view bytes, int flush, const Sink& sink);

  std::unique_ptr<z_stream_s> stream_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_ENCODING_COMPRESSION_H_
