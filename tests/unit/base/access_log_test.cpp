#include "base/access_log.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

namespace kvgate::log {
namespace {

using nlohmann::json;
using std::chrono::microseconds;
using std::chrono::milliseconds;

AccessRecord full() {
  AccessRecord record;
  record.request_id = "req-1";
  record.session_id = "alice 7";
  record.route = "/v1/chat/completions";
  record.model = "m1";
  record.engine = "http://engine-1:8000";
  record.policy = "least_loaded";
  record.reason = "fewest_in_flight";
  record.status = 200;
  record.bytes_in = 1000;
  record.bytes_out = 2000;
  record.prompt_tokens = 10;
  record.cached_tokens = 4;
  record.completion_tokens = 20;
  record.routed_at = WallClock::time_point(milliseconds(1'700'000'000'250));
  record.decision = microseconds(12);
  record.ttft = milliseconds(150);
  record.total = milliseconds(1500);
  record.retries = 1;
  return record;
}

TEST(AccessLog, RoutingLineIsWhatToolingParses) {
  EXPECT_EQ(format_access(full(), Format::text).routing,
            "Routing request req-1 with session id alice 7 to http://engine-1:8000 at 1700000000.250000, "
            "process time = 0.000012");
  auto record = full();
  record.session_id.reset();
  std::string const line = format_access(record, Format::text).routing;
  EXPECT_THAT(line, testing::MatchesRegex("Routing request [^ ]+ with session id None to http://[^ ]+ at [0-9.]+, "
                                          "process time = [0-9.]+"));
}

TEST(AccessLog, TextLine) {
  EXPECT_EQ(format_access(full(), Format::text).access,
            "access id=req-1 session=\"alice 7\" route=/v1/chat/completions model=m1 engine=http://engine-1:8000 "
            "policy=least_loaded reason=fewest_in_flight status=200 error=- retries=1 bytes_in=1000 bytes_out=2000 "
            "prompt_tokens=10 cached_tokens=4 completion_tokens=20 routed_at=1700000000.250000 decision=0.000012 "
            "ttft=0.150000 total=1.500000");
}

TEST(AccessLog, JsonHasEveryField) {
  auto const lines = format_access(full(), Format::json);
  EXPECT_EQ(lines.routing, "");
  auto const object = json::parse("{" + lines.access + "}");
  EXPECT_EQ(object.at("message"), "access");
  EXPECT_EQ(object.at("id"), "req-1");
  EXPECT_EQ(object.at("session"), "alice 7");
  EXPECT_EQ(object.at("cached_tokens"), 4);
  EXPECT_EQ(object.at("routed_at"), 1700000000.25);
  EXPECT_EQ(object.at("ttft"), .15);
}

TEST(AccessLog, RequestThatWasNeverRouted) {
  AccessRecord record;
  record.request_id = "req-2";
  record.status = 404;
  record.error = ErrorKind::model_not_found;
  auto const text = format_access(record, Format::text);
  EXPECT_EQ(text.routing, "");
  EXPECT_THAT(text.access, testing::HasSubstr("session=- route=- model=- engine=- policy=- reason=- status=404 "
                                              "error=model_not_found"));
  auto const object = json::parse("{" + format_access(record, Format::json).access + "}");
  for (auto const* key : {"session", "model", "engine", "prompt_tokens", "routed_at", "decision", "ttft"}) {
    EXPECT_TRUE(object.at(key).is_null()) << key;
  }
}

TEST(AccessLog, SessionIdCannotForgeALine) {
  auto record = full();
  record.session_id = "x\nRouting request y";
  auto const text = format_access(record, Format::text);
  EXPECT_EQ(text.routing.find('\n'), std::string::npos);
  EXPECT_EQ(text.access.find('\n'), std::string::npos);
}

TEST(AccessLog, GoesThroughTheLogWhateverItsLevel) {
  std::string const path = testing::TempDir() + "kvgate_access_" + std::to_string(::getpid());
  init({Format::text, Level::error, path});
  auto record = full();
  record.model = std::string(1 << 20, 'm');
  access(std::move(record));
  flush_and_stop();
  std::ifstream file(path);
  std::string routing;
  std::string line;
  std::string more;
  std::getline(file, routing);
  std::getline(file, line);
  EXPECT_THAT(routing, testing::HasSubstr("Z info Routing request req-1 with session id alice 7 to "));
  EXPECT_THAT(line, testing::HasSubstr("Z info access id=req-1 "));
  EXPECT_LT(line.size(), 2000U);
  EXPECT_FALSE(std::getline(file, more));
  std::remove(path.c_str());
}

}  // namespace
}  // namespace kvgate::log
