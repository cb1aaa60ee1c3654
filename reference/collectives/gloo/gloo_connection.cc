#include "reference/collectives/gloo/gloo_connection.h"

#include <gloo/transport/address.h>
#include <gloo/transport/context.h>
#include <gloo/transport/device.h>
#include <gloo/transport/pair.h>
#include <gloo/transport/tcp/device.h>

#include <bit>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/collectives/gloo/sigpipe_guard.h"
#include "reference/collectives/mesh/call_message.h"

namespace lockstep::collectives_internal {
namespace {

using Addresses = std::vector<std::string>;

// What gloo::rendezvous::Context does over a store of keys that one worker
// after the other reads: all addresses are exchanged at once instead.
class FullMesh final : public gloo::Context {
 public:
  FullMesh(int rank, int size, std::shared_ptr<gloo::transport::Device> device,
           std::chrono::milliseconds connect_limit)
      : Context(rank, size) {
    device_ = std::move(device);
    setTimeout(connect_limit);
    transportContext_ = device_->createContext(rank, size);
    transportContext_->setTimeout(connect_limit);
    for (int other = 0; other < size; ++other) {
      if (other == rank) continue;
      auto& pair = transportContext_->createPair(other);
      pair->setLocalRank(0);
    }
  }

  // Where each of the others reaches this worker; entry `rank` is empty.
  Addresses OwnAddresses() {
    Addresses addresses(size);
    for (int other = 0; other < size; ++other) {
      if (other == rank) continue;
      const auto bytes = transportContext_->getPair(other)->address().bytes();
      addresses[other] = {bytes.begin(), bytes.end()};
    }
    return addresses;
  }

  // Entry w is where worker w waits for this one.
  void Connect(const Addresses& addresses) {
    for (int other = 0; other < size; ++other) {
      if (other == rank) continue;
      const std::string& address = addresses[other];
      transportContext_->getPair(other)->connect(
          {address.begin(), address.end()});
    }
  }
};

// What workers must have in common to understand each other's messages.
std::string Dialect() {
  return fmt::format(
      "messages 1 of {} bytes, headers of {}, {} endian", kMessageBytes,
      sizeof(CallHeader),
      std::endian::native == std::endian::little ? "little" : "big");
}

// What a worker tells the others about itself: why it has no addresses, or its
// dialect and them.
struct Introduction {
  std::string error = {};
  std::string dialect = {};
  Addresses addresses = {};
};

void Append(std::string& text, std::string_view part) {
  const uint64_t length = part.size();
  text.append(reinterpret_cast<const char*>(&length), sizeof(length));
  text += part;
}

std::string Take(std::string_view& text) {
  uint64_t length = 0;
  if (text.size() >= sizeof(length)) {
    std::memcpy(&length, text.data(), sizeof(length));
    text.remove_prefix(sizeof(length));
  }
  if (length > text.size()) {
    throw DataLoss("[MakeGlooGroup] a worker's addresses end early");
  }
  const std::string part(text.substr(0, length));
  text.remove_prefix(length);
  return part;
}

std::string Write(const Introduction& introduction) {
  std::string text;
  Append(text, introduction.error);
  Append(text, introduction.dialect);
  for (const auto& address : introduction.addresses) Append(text, address);
  return text;
}

Introduction Read(std::string_view text) {
  Introduction introduction = {.error = Take(text), .dialect = Take(text)};
  while (!text.empty()) introduction.addresses.push_back(Take(text));
  return introduction;
}

std::shared_ptr<FullMesh> MakeMesh(const ControlPlane& control,
                                   const GlooOptions& options) {
  gloo::transport::tcp::attr attributes;
  if (options.interface_name.empty()) {
    attributes.hostname = options.address;
  } else {
    attributes.iface = options.interface_name;
  }
  return std::make_shared<FullMesh>(
      control.worker().value(), control.num_workers(),
      gloo::transport::tcp::CreateDevice(attributes), options.connect_limit);
}

void CheckIntroductions(const std::vector<Introduction>& all) {
  for (size_t w = 0; w < all.size(); ++w) {
    if (all[w].error.empty()) continue;
    throw InvalidArgument("[MakeGlooGroup] worker {} cannot listen on {}", w,
                          all[w].error);
  }
  for (size_t w = 0; w < all.size(); ++w) {
    if (all[w].dialect == all[0].dialect &&
        all[w].addresses.size() == all.size()) {
      continue;
    }
    throw FailedPrecondition(
        "[MakeGlooGroup] worker 0 speaks '{}', worker {} '{}': all must run "
        "the same version",
        all[0].dialect, w, all[w].dialect);
  }
}

}  // namespace

std::shared_ptr<gloo::Context> ConnectGloo(ControlPlane& control,
                                           const GlooOptions& options) {
  const Deadline deadline =
      std::chrono::steady_clock::now() + options.connect_limit;
  const SigpipeGuard guard;  // for the thread that a device starts, too
  Introduction mine = {.dialect = Dialect()};
  std::shared_ptr<FullMesh> mesh;
  try {
    mesh = MakeMesh(control, options);
    mine.addresses = mesh->OwnAddresses();
  } catch (const std::exception& error) {
    mine.error =
        fmt::format("{}: {}",
                    options.interface_name.empty() ? options.address
                                                   : options.interface_name,
                    error.what());
  }
  std::vector<Introduction> all;
  for (const std::string& text :
       control.Exchange("MakeGlooGroup", Write(mine), deadline)) {
    all.push_back(Read(text));
  }
  CheckIntroductions(all);
  Addresses theirs;
  for (const Introduction& introduction : all) {
    theirs.push_back(introduction.addresses[mesh->rank]);
  }
  try {
    mesh->Connect(theirs);
  } catch (const std::exception& error) {
    control.Check();  // says more where a worker is gone
    throw Unavailable("[MakeGlooGroup] workers cannot connect: {}",
                      error.what());
  }
  return mesh;
}

}  // namespace lockstep::collectives_internal
