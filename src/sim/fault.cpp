#include "sim/fault.hpp"

#include <charconv>
#include <iterator>

namespace kvgate::sim {
namespace {

struct KindName {
  std::string_view name;
  FaultKind kind;
  int status = 500;
};

constexpr KindName kKinds[] = {
    {"reset-before-head", FaultKind::reset_before_head},
    {"close-before-head", FaultKind::close_before_head},
    {"close-after-head", FaultKind::close_after_head},
    {"reset-mid-stream", FaultKind::reset_mid_stream},
    {"close-mid-stream", FaultKind::close_mid_stream},
    {"stall", FaultKind::stall},
    {"slow-head", FaultKind::slow_head},
    {"hang", FaultKind::hang},
    {"refuse", FaultKind::refuse},
    {"health-down", FaultKind::health_down},
    {"sleeping", FaultKind::sleeping},
    {"500", FaultKind::status, 500},
    {"503", FaultKind::status, 503},
    {"429", FaultKind::status, 429},
};

Error unknown(std::string_view what, std::string_view text) {
  return Error(ErrorKind::bad_request, "fault: " + std::string(what) + " '" + std::string(text) + "' is not known");
}

std::optional<std::uint32_t> to_number(std::string_view text) {
  std::uint32_t value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Result<Fault> fault_of_kind(std::string_view name) {
  for (auto const& row : kKinds) {
    if (row.name != name) continue;
    Fault fault;
    fault.kind = row.kind;
    fault.status = row.status;
    // A state lasts until it is cleared unless the caller counts.
    if (is_state(row.kind)) fault.count = 0;
    return fault;
  }
  return unknown("kind", name);
}

bool set(Fault& fault, std::string_view key, std::uint32_t value) {
  if (key == "count") {
    fault.count = value;
  } else if (key == "after") {
    fault.after = value;
  } else if (key == "ms") {
    fault.delay = std::chrono::milliseconds(value);
  } else if (key == "retry_after") {
    fault.retry_after = value;
  } else {
    return false;
  }
  return true;
}

}  // namespace

bool is_state(FaultKind kind) noexcept {
  return kind == FaultKind::health_down || kind == FaultKind::sleeping;
}

Result<Fault> parse_fault(std::string_view text) {
  auto end = text.find(';');
  auto fault = fault_of_kind(text.substr(0, end));
  while (fault && end != std::string_view::npos) {
    text.remove_prefix(end + 1);
    end = text.find(';');
    auto const item = text.substr(0, end);
    auto const equals = item.find('=');
    auto const value = equals == std::string_view::npos ? std::nullopt : to_number(item.substr(equals + 1));
    if (!value || !set(*fault, item.substr(0, equals), *value)) return unknown("setting", item);
  }
  return fault;
}

void FaultQueue::push(Fault const& fault) {
  if (fault.count > 0) waiting_.push_back(fault);
}

Fault FaultQueue::take() {
  if (waiting_.empty()) return {};
  Fault const fault = waiting_.front();
  if (--waiting_.front().count == 0) waiting_.pop_front();
  return fault;
}

}  // namespace kvgate::sim
