#include "base/log.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "base/access_log.hpp"

namespace kvgate::log {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::SizeIs;

class LogTest : public testing::Test {
 protected:
  LogTest() {
    std::filesystem::remove_all(dir);
    std::filesystem::create_directories(dir);
  }
  ~LogTest() override {
    flush_and_stop();
    std::filesystem::remove_all(dir);
  }

  void start(Format format = Format::text, Level level = Level::info, std::size_t queue = 8192) {
    init({format, level, path, queue});
  }
  std::vector<std::string> lines_of(std::string const& file) {
    flush_and_stop();
    std::ifstream in(file);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  }
  std::vector<std::string> lines() { return lines_of(path); }

  std::string const dir = testing::TempDir() + "kvgate_log_" + std::to_string(::getpid());
  std::string const path = dir + "/gate.log";
};

TEST_F(LogTest, TextLineHasTimeLevelMessageAndFields) {
  start();
  event(Level::warn, "engine down",
        {{"engine", "http://e:1"},
         {"failures", 2},
         {"why", "it said no"},
         {"p", .5},
         {"tls", false},
         {"none", std::monostate{}}});
  info("listening on {}:{}", "127.0.0.1", 8000);
  auto const got = lines();
  ASSERT_THAT(got, SizeIs(2));
  std::string const ts = "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{3}Z ";
  EXPECT_THAT(got[0], MatchesRegex(ts + "warning engine down engine=http://e:1 failures=2 why=\"it said no\" p=0.5 "
                                        "tls=false none=-"));
  EXPECT_THAT(got[1], MatchesRegex(ts + "info listening on 127.0.0.1:8000"));
}

TEST_F(LogTest, TimeIsUtcNow) {
  ::setenv("TZ", "Asia/Tokyo", 1);
  ::tzset();
  start(Format::json);
  auto const before = std::chrono::system_clock::to_time_t(WallClock::now());
  info("x");
  std::string const ts = json::parse(lines().at(0)).at("ts");
  ::unsetenv("TZ");
  ::tzset();
  std::tm tm{};
  ASSERT_NE(::strptime(ts.c_str(), "%Y-%m-%dT%H:%M:%S", &tm), nullptr);
  EXPECT_NEAR(static_cast<double>(::timegm(&tm)), static_cast<double>(before), 5);
}

TEST_F(LogTest, JsonLineIsOneObject) {
  start(Format::json);
  event(Level::error, "engine \"down\"",
        {{"engine", "http://e:1"},
         {"failures", 2},
         {"p", .5},
         {"tls", true},
         {"none", std::monostate{}},
         {"nan", std::nan("")}});
  auto const got = lines();
  ASSERT_THAT(got, SizeIs(1));
  auto const object = json::parse(got[0]);
  EXPECT_EQ(object.at("level"), "error");
  EXPECT_EQ(object.at("message"), "engine \"down\"");
  EXPECT_EQ(object.at("engine"), "http://e:1");
  EXPECT_EQ(object.at("failures"), 2);
  EXPECT_EQ(object.at("p"), .5);
  EXPECT_EQ(object.at("tls"), true);
  EXPECT_TRUE(object.at("none").is_null());
  EXPECT_TRUE(object.at("nan").is_null());
  EXPECT_TRUE(got[0].starts_with("{\"ts\":\""));
}

TEST_F(LogTest, NothingInAValueBreaksTheLine) {
  struct Case {
    std::string_view value, text;
    std::string json;
  };
  for (auto const& [value, text, in_json] : {
           Case{"a\nb\r\tc", R"(v="a\nb\r\tc")", "a\nb\r\tc"},
           Case{std::string_view("\0\x1b[31m", 6), R"(v="\u0000\u001b[31m")", std::string("\0\x1b[31m", 6)},
           Case{"q\"\\", R"(v="q\"\\")", "q\"\\"},
           Case{"\x7f\xC2\x85\xE2\x80\xA8", R"(v="\u007f\u0085\u2028")", "\x7f\xC2\x85\xE2\x80\xA8"},
           Case{"\xC3\x28\xED\xA0\xBD", R"(v="\xc3(\xed\xa0\xbd")",
                "\xEF\xBF\xBD(\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
           Case{"\xC3\xA9", "v=\"\xC3\xA9\"", "\xC3\xA9"},
           Case{"", R"(v="")", ""},
           Case{"a=b", R"(v="a=b")", "a=b"},
       }) {
    start();
    event(Level::info, "m", {{"v", value}});
    ASSERT_THAT(lines(), ElementsAre(testing::EndsWith(text)));
    std::filesystem::remove(path);

    start(Format::json);
    event(Level::info, value, {{"v", value}});
    auto const got = lines();
    ASSERT_THAT(got, SizeIs(1));
    EXPECT_EQ(json::parse(got[0]).at("v"), in_json);
    EXPECT_EQ(json::parse(got[0]).at("message"), in_json);
    for (char const c : got[0]) EXPECT_NE(static_cast<unsigned char>(c), 0x7FU);
    std::filesystem::remove(path);
  }
}

TEST_F(LogTest, LongValuesAreCut) {
  start(Format::json);
  event(Level::info, std::string(100'000, 'm'), {{"v", std::string(100'000, 'x')}});
  auto const got = lines();
  ASSERT_THAT(got, SizeIs(1));
  EXPECT_LT(got[0].size(), 10'000U);
  EXPECT_THAT(std::string(json::parse(got[0]).at("v")), testing::EndsWith("x..."));
}

TEST_F(LogTest, JsonValuesStandAsTheyAreAndWhole) {
  std::string const long_one = R"({"a": "b\\n", "c": ")" + std::string(10'000, 'x') + "\"}";
  for (auto const format : {Format::text, Format::json}) {
    start(format);
    event(Level::info, "decision", {{"id", "r"}, {"record", Json{long_one}}});
    auto const line = lines().back();
    auto const from = line.find("{\"a\"");
    ASSERT_NE(from, std::string::npos);
    EXPECT_EQ(line.substr(from, long_one.size()), long_one);
    if (format == Format::json) { EXPECT_EQ(json::parse(line)["record"], json::parse(long_one)); }
    if (format == Format::text) { EXPECT_TRUE(line.ends_with(" id=r record=" + long_one)); }
  }
}

TEST_F(LogTest, LevelFilters) {
  start(Format::text, Level::warn);
  EXPECT_FALSE(enabled(Level::info));
  debug("d");
  info("i");
  event(Level::info, "e", {});
  warn("w");
  error("e");
  EXPECT_THAT(lines(), ElementsAre(HasSubstr("warning w"), HasSubstr("error e")));
}

TEST_F(LogTest, DoesNothingWhenNotStarted) {
  EXPECT_FALSE(enabled(Level::error));
  error("x");
  access({});
  reopen();
  flush_and_stop();
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(LogTest, UnopenableFileIsAnErrorWithItsName) {
  try {
    init({Format::text, Level::info, dir + "/no/such/dir.log"});
    FAIL();
  } catch (std::system_error const& e) {
    EXPECT_THAT(e.what(), HasSubstr("/no/such/dir.log"));
    EXPECT_EQ(e.code(), std::errc::no_such_file_or_directory);
  }
}

TEST_F(LogTest, ReopenFollowsARotation) {
  start();
  info("before");
  std::filesystem::rename(path, path + ".1");
  info("between");
  reopen();
  info("after");
  EXPECT_THAT(lines_of(path + ".1"), ElementsAre(HasSubstr("before"), HasSubstr("between")));
  EXPECT_THAT(lines(), ElementsAre(HasSubstr("after")));
}

TEST_F(LogTest, FailedReopenKeepsTheOldFileAndSaysSo) {
  start();
  std::filesystem::rename(dir, dir + ".moved");
  reopen();
  info("after");
  auto const got = lines_of(dir + ".moved/gate.log");
  std::filesystem::remove_all(dir + ".moved");
  EXPECT_THAT(got, ElementsAre(HasSubstr("error log file not reopened error="), HasSubstr("info after")));
}

TEST_F(LogTest, LinesOfAllThreadsArriveWhole) {
  start(Format::json, Level::info, 100'000);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 1000; ++i) info("thread {} line {}", t, i);
    });
  }
  for (auto& thread : threads) thread.join();
  std::map<int, int> next;
  for (auto const& line : lines()) {
    std::string const message = json::parse(line).at("message");
    int t = 0;
    int i = 0;
    ASSERT_EQ(std::sscanf(message.c_str(), "thread %d line %d", &t, &i), 2);
    ASSERT_EQ(i, next[t]++) << "lines of one thread keep their order";
  }
  EXPECT_THAT(next, ElementsAre(testing::Pair(0, 1000), testing::Pair(1, 1000), testing::Pair(2, 1000),
                                testing::Pair(3, 1000)));
}

TEST_F(LogTest, StuckReaderCostsLinesNotTime) {
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  int const reader = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  start(Format::text, Level::info, 100);
  auto const before = dropped();
  auto const began = Clock::now();
  std::string const long_line(1000, 'x');
  for (int i = 0; i < 5000; ++i) info("{}", long_line);  // a pipe holds 64 KiB
  EXPECT_LT(Clock::now() - began, std::chrono::seconds(5));
  EXPECT_GT(dropped(), before);
  flush_and_stop();
  EXPECT_LT(Clock::now() - began, std::chrono::seconds(20)) << "a stuck reader must not keep the process from ending";
  EXPECT_GT(dropped() - before, 4000U);
  ::close(reader);
}

TEST_F(LogTest, LogSaysHowManyLinesItLost) {
  start(Format::json, Level::info, 2);
  auto const before = dropped();
  for (int i = 0; dropped() == before; ++i) info("line {}", i);
  auto const got = lines();
  EXPECT_EQ(json::parse(got.back()).at("message"), "log lines dropped");
  EXPECT_EQ(json::parse(got.back()).at("count"), dropped() - before);
}

}  // namespace
}  // namespace kvgate::log
