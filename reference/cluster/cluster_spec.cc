#include "reference/cluster/cluster_spec.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

#include "reference/base/error.h"
#include "reference/cluster/environment.h"

namespace lockstep {
namespace {

bool IsPort(int port) { return port >= 1 && port <= kLastPort; }

// Whether the text has only letters, digits and the marks.
bool IsSpelledWith(std::string_view text, std::string_view marks) {
  const auto may_stand = [&](unsigned char c) {
    return c < 0x80 && (std::isalnum(c) != 0 ||
                        marks.find(static_cast<char>(c)) != marks.npos);
  };
  return std::all_of(text.begin(), text.end(), may_stand);
}

bool IsIpv6(std::string_view text) {
  in6_addr address;
  return inet_pton(AF_INET6, std::string(text).c_str(), &address) == 1;
}

// The network interface after the % of a link-local address.
bool IsZone(std::string_view text) {
  return !text.empty() && IsSpelledWith(text, ".-_");
}

void CheckWorker(const ClusterFacts& facts) {
  if (facts.num_workers < 1 || facts.num_workers > kMostWorkers) {
    throw InvalidArgument("[ClusterSpec] workers must be 1 to {}, got {}",
                          kMostWorkers, facts.num_workers);
  }
  const int worker = facts.worker.value();
  if (worker < 0 || worker >= facts.num_workers) {
    throw InvalidArgument(
        "[ClusterSpec] this worker must be one of {}, counted from 0, got {}",
        facts.num_workers, worker);
  }
}

void CheckAddress(const WorkerAddress& address) {
  if (!IsHost(address.host) || !IsPort(address.port)) {
    throw InvalidArgument(
        "[ClusterSpec] an address must be a host and a port from 1 to {}, got "
        "{} and {}",
        kLastPort, Quote(address.host), address.port);
  }
}

// Host names are not case-sensitive.
std::string AddressKey(const WorkerAddress& address) {
  std::string key = address.ToString();
  std::transform(key.begin(), key.end(), key.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  return key;
}

void CheckAddresses(const ClusterFacts& facts) {
  const size_t count = facts.addresses.size();
  if (count != 0 && count != static_cast<size_t>(facts.num_workers)) {
    throw InvalidArgument(
        "[ClusterSpec] there must be one address per worker, got {} for {} "
        "workers",
        count, facts.num_workers);
  }
  std::map<std::string, size_t> owners;
  for (size_t i = 0; i < count; ++i) {
    CheckAddress(facts.addresses[i]);
    const auto [owner, is_new] =
        owners.emplace(AddressKey(facts.addresses[i]), i);
    if (!is_new) {
      throw InvalidArgument(
          "[ClusterSpec] each worker must have its own address, got {} for "
          "workers {} and {}",
          facts.addresses[i].ToString(), owner->second, i);
    }
  }
}

void CheckLocal(const ClusterFacts& facts) {
  const int local_size = facts.local_size.value_or(facts.num_workers);
  if (local_size < 1 || local_size > facts.num_workers) {
    throw InvalidArgument(
        "[ClusterSpec] workers on this machine must be 1 to all {}, got {}",
        facts.num_workers, local_size);
  }
  const int local_rank = facts.local_rank.value_or(0);
  if (local_rank < 0 || local_rank >= local_size) {
    throw InvalidArgument(
        "[ClusterSpec] the local rank must be one of {}, counted from 0, got "
        "{}",
        local_size, local_rank);
  }
}

void CheckMaster(const ClusterFacts& facts) {
  if (facts.master_host && !IsHost(*facts.master_host)) {
    throw InvalidArgument(
        "[ClusterSpec] the master must be a host's name or address, got {}",
        Quote(*facts.master_host));
  }
  if (facts.master_port && !IsPort(*facts.master_port)) {
    throw InvalidArgument(
        "[ClusterSpec] the master's port must be 1 to {}, got {}", kLastPort,
        *facts.master_port);
  }
}

}  // namespace

std::string WorkerAddress::ToString() const {
  const bool is_ipv6 = host.find(':') != std::string::npos;
  return is_ipv6 ? fmt::format("[{}]:{}", host, port)
                 : fmt::format("{}:{}", host, port);
}

bool IsHost(std::string_view text) {
  if (text.empty() || text.size() > kLongestHost) return false;
  if (text.find(':') == text.npos) return IsSpelledWith(text, ".-_");
  const size_t percent = text.find('%');
  return IsIpv6(text.substr(0, percent)) &&
         (percent == text.npos || IsZone(text.substr(percent + 1)));
}

WorkerAddress ParseWorkerAddress(std::string_view text,
                                 std::string_view operation) {
  const size_t colon = text.rfind(':');
  std::string_view host = text.substr(0, colon);
  const bool has_brackets =
      host.size() >= 2 && host.front() == '[' && host.back() == ']';
  if (has_brackets) host = host.substr(1, host.size() - 2);
  const bool has_colons = host.find(':') != host.npos;
  const int port =
      colon == text.npos ? 0 : NumberIn(text.substr(colon + 1)).value_or(0);
  if (!IsHost(host) || has_colons != has_brackets || !IsPort(port)) {
    throw InvalidArgument(
        "[{}] an address must be host:port with a port from 1 to {}, got {}",
        operation, kLastPort, Quote(text));
  }
  return {std::string(host), port};
}

ClusterSpec::ClusterSpec(ClusterFacts facts) : facts_(std::move(facts)) {
  CheckWorker(facts_);
  CheckAddresses(facts_);
  CheckLocal(facts_);
  CheckMaster(facts_);
}

}  // namespace lockstep
