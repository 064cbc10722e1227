// Replays recorded requests and compares with what vLLM 0.32 answered: status, header names in order, and the body's
// shape (member names in order, kinds of values) or, for errors, the body itself.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "sim/engine.hpp"
#include "unit/sim/client.hpp"

namespace kvgate::sim::test {
namespace {

namespace fs = std::filesystem;

enum class Compare { shape, exact, head };

struct Recorded {
  char const* name;  ///< of the files, under vllm-http/
  Compare compare;
};

constexpr Recorded kGenerating[] = {
    {"health", Compare::exact},
    {"ping", Compare::exact},
    {"version", Compare::exact},
    {"load", Compare::exact},
    {"models", Compare::shape},
    {"models_head", Compare::exact},
    {"metrics_head", Compare::exact},
    {"metrics", Compare::head},
    {"notfound_404", Compare::exact},
    {"chat_405", Compare::exact},
    {"chat", Compare::shape},
    {"chat_stream", Compare::shape},
    {"chat_stream_usage", Compare::shape},
    {"chat_stream_usage_continuous", Compare::shape},
    {"chat_request_id_header", Compare::shape},
    {"chat_nomodelfield", Compare::shape},
    {"chat_400_badjson", Compare::exact},
    {"chat_400_nomessages", Compare::exact},
    {"chat_400_type", Compare::exact},
    {"chat_400_temp", Compare::exact},
    {"chat_400_maxtok", Compare::exact},
    {"chat_400_toolong", Compare::exact},
    {"chat_404_model", Compare::exact},
    {"chat_404_model_stream", Compare::exact},
    {"chat_415_ctype", Compare::exact},
    {"completions", Compare::shape},
    {"completions_stream", Compare::shape},
    {"completions_multi", Compare::shape},
    {"completions_404_model", Compare::exact},
    {"tokenize_prompt", Compare::shape},
    {"tokenize_chat", Compare::shape},
    {"tokenize_nomodel", Compare::shape},
    {"detokenize", Compare::shape},
    {"messages", Compare::shape},
    {"messages_stream", Compare::shape},
    {"messages_400", Compare::exact},
    {"messages_404_model", Compare::exact},
    {"messages_count_tokens", Compare::shape},
    {"responses", Compare::shape},
    {"responses_stream", Compare::shape},
    {"responses_404_model", Compare::exact},
    {"responses_get_404", Compare::exact},
    {"is_sleeping", Compare::exact},
    {"sleep_unsupported", Compare::exact},
    {"is_sleeping2", Compare::exact},
    {"reset_prefix_cache", Compare::exact},
};

constexpr Recorded kPooling[] = {
    {"pooling/embeddings", Compare::shape},
    {"pooling/embeddings_chat", Compare::shape},
    {"pooling/embeddings_tokens", Compare::shape},
    {"pooling/embeddings_list_b64", Compare::shape},
    {"pooling/embeddings_404", Compare::exact},
    {"pooling/pooling", Compare::shape},
    {"pooling/score", Compare::shape},
    {"pooling/v1_score", Compare::shape},
    {"pooling/rerank", Compare::shape},
};

constexpr Recorded kGuarded[] = {
    {"auth/auth_401_chat", Compare::exact},   {"auth/auth_401_models", Compare::exact},
    {"auth/auth_bad_key", Compare::exact},    {"auth/auth_ok_models", Compare::shape},
    {"auth/noauth_tokenize", Compare::shape}, {"auth/is_sleeping_nodev", Compare::exact},
};

fs::path folder() {
  return fs::path(KVGATE_SOURCE_DIR) / "../shared/data/vllm-http";
}

std::string contents(fs::path const& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A recorded answer through the same reader as a live one.
Response parse_recorded(std::string const& bytes) {
  Response response;
  auto const end = bytes.find("\r\n\r\n");
  std::istringstream head(bytes.substr(0, end));
  std::string line;
  std::getline(head, line);
  response.status = std::stoi(line.substr(9, 3));
  while (std::getline(head, line)) {
    if (line.ends_with('\r')) line.pop_back();
    auto const colon = line.find(": ");
    response.headers.emplace_back(line.substr(0, colon), line.substr(colon + 2));
  }
  auto rest = bytes.substr(end + 4);
  if (response.header("transfer-encoding") != "chunked") {
    response.body = rest;
    return response;
  }
  for (std::size_t at = 0; at < rest.size();) {
    auto const size = std::stoul(rest.substr(at), nullptr, 16);
    at = rest.find("\r\n", at) + 2;
    if (size == 0) break;
    response.chunks.push_back(rest.substr(at, size));
    response.body += response.chunks.back();
    at += size + 2;
  }
  return response;
}

std::string kind(Json const& value) {
  if (value.is_number()) return "number";
  return value.type_name();
}

/// Empty, or where two values differ in shape. null stands for any value: it depends on the request's luck.
std::string difference(Json const& got, Json const& wanted, std::string const& path) {
  if (got.is_null() || wanted.is_null()) return {};
  if (kind(got) != kind(wanted)) return path + ": " + kind(got) + " instead of " + kind(wanted);
  if (wanted.is_array() && !wanted.empty() && !got.empty()) return difference(got[0], wanted[0], path + "[0]");
  if (!wanted.is_object()) return {};
  std::string got_keys;
  std::string wanted_keys;
  for (auto const& item : got.items()) got_keys += item.key() + " ";
  for (auto const& item : wanted.items()) wanted_keys += item.key() + " ";
  if (got_keys != wanted_keys) return path + ": has " + got_keys + "instead of " + wanted_keys;
  for (auto const& item : wanted.items()) {
    auto const found = difference(got[item.key()], item.value(), path + "." + item.key());
    if (!found.empty()) return found;
  }
  return {};
}

/// The kinds of events of a stream in order, repeats taken together: how many tokens went into an event is luck.
std::vector<Json> event_kinds(Response const& response) {
  std::vector<Json> kinds;
  for (auto const& data : data_of(response)) {
    auto event = Json::parse(data, nullptr, false);
    if (event.is_discarded()) event = data;
    // vLLM may end with an empty delta or with a last text.
    bool const ends = event.is_object() && event.contains("choices") && !event["choices"].empty() &&
                      !event["choices"][0]["finish_reason"].is_null();
    if (ends) event["choices"][0].erase("delta");
    if (kinds.empty() || !difference(event, kinds.back(), "event").empty()) kinds.push_back(std::move(event));
  }
  return kinds;
}

std::string names(Response const& response) {
  std::string text;
  for (auto const& header : response.headers) text += header.first + " ";
  return text;
}

void compare_streams(Response const& got, Response const& wanted) {
  EXPECT_EQ(got.chunks.size(), static_cast<std::size_t>(data_of(got).size())) << "one event is one chunk";
  auto const got_kinds = event_kinds(got);
  auto const wanted_kinds = event_kinds(wanted);
  ASSERT_EQ(got_kinds.size(), wanted_kinds.size()) << got.body;
  for (std::size_t i = 0; i < got_kinds.size(); ++i) {
    EXPECT_EQ(difference(got_kinds[i], wanted_kinds[i], "event " + std::to_string(i)), "");
  }
  EXPECT_EQ(got.chunks.front().substr(0, 6), wanted.chunks.front().substr(0, 6));
}

void compare(Recorded const& recorded, Response const& got, Response const& wanted) {
  EXPECT_EQ(got.status, wanted.status);
  EXPECT_EQ(names(got), names(wanted));
  for (auto const* name : {"server", "content-type", "vary", "connection", "allow", "transfer-encoding"}) {
    EXPECT_EQ(got.header(name), wanted.header(name)) << name;
  }
  if (recorded.compare == Compare::head) return;
  if (recorded.compare == Compare::exact) {
    EXPECT_EQ(got.body, wanted.body);
  } else if (!wanted.chunks.empty()) {
    compare_streams(got, wanted);
  } else {
    EXPECT_EQ(difference(got.json(), wanted.json(), "body"), "") << got.body;
  }
}

void replay(SimEngine const& engine, Recorded const& recorded) {
  SCOPED_TRACE(recorded.name);
  auto const bytes = contents(folder() / (std::string(recorded.name) + ".req"));
  ASSERT_FALSE(bytes.empty());
  Client client(engine.port());
  client.send(bytes);
  auto const got = client.receive(!bytes.starts_with("HEAD"));
  compare(recorded, got, parse_recorded(contents(folder() / (std::string(recorded.name) + ".resp"))));
  EXPECT_TRUE(client.at_end()) << "the recorded requests ask for it";
}

SimOptions tiny() {
  SimOptions options;
  options.models = {"tiny"};
  options.max_model_len = 512;
  options.inter_token = std::chrono::microseconds(0);
  return options;
}

class RecordedTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(folder())) GTEST_SKIP() << "no recorded answers at " << folder();
  }
};

TEST_F(RecordedTest, GeneratingEngine) {
  auto options = tiny();
  options.request_id_headers = true;
  options.dev_mode = true;
  SimEngine const engine(options);
  for (auto const& recorded : kGenerating) {
    // The recorded engine was asleep only at the end; here it must not keep the next request waiting.
    replay(engine, recorded);
    if (std::string(recorded.name) == "is_sleeping2") request(engine.port(), "POST", "/wake_up");
  }
}

TEST_F(RecordedTest, PoolingEngine) {
  auto options = tiny();
  options.models = {"tiny-embed"};
  SimEngine const engine(options);
  for (auto const& recorded : kPooling) replay(engine, recorded);
}

TEST_F(RecordedTest, EngineWithKey) {
  auto options = tiny();
  options.api_key = "sk-test";
  SimEngine const engine(options);
  for (auto const& recorded : kGuarded) replay(engine, recorded);
}

TEST_F(RecordedTest, MetricsHaveRecordedNamesAndLabels) {
  SimEngine const engine(tiny());
  auto const live = request(engine.port(), "GET", "/metrics").body;
  auto const recorded = contents(folder() / "../vllm-metrics.txt");
  std::istringstream lines(live);
  std::string line;
  int compared = 0;
  while (std::getline(lines, line)) {
    bool const has_values = line.starts_with("vllm:cache_config_info") || line.starts_with('#');
    if (has_values || !line.starts_with("vllm:")) continue;
    auto const series = line.substr(0, line.rfind(' '));
    EXPECT_NE(recorded.find("\n" + series + " "), std::string::npos) << series;
    ++compared;
  }
  EXPECT_GT(compared, 100);
}

}  // namespace
}  // namespace kvgate::sim::test
