#include "sim/job.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/multipart.hpp"
#include "sim/prompt.hpp"
#include "sim/replies.hpp"

namespace kvgate::sim {
namespace {

// Deeper bodies would overflow the stack of the recursive writer; Python's reader gives up near there, too.
constexpr int kMaxDepth = 500;

bool too_deep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char const c = text[i];
    if (in_string && c == '\\') ++i;
    if (c == '"') in_string = !in_string;
    if (in_string) continue;
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (depth > kMaxDepth) return true;
  }
  return false;
}

Reply not_json(std::size_t position) {
  auto const loc = "body." + std::to_string(position);
  return error_reply(400, "Bad Request",
                     "1 validation error:\n  {'type': 'json_invalid', 'loc': '" + loc +
                         "', 'msg': 'JSON decode error', 'input': '<dict of 0 items>', 'ctx': {'error': 'Expecting "
                         "property name enclosed in double quotes'}}",
                     loc);
}

Reply bad_value(std::string_view param, std::string message, std::string const& value) {
  message.append(" (parameter=").append(param).append(", value=").append(value).append(")");
  return error_reply(400, "BadRequestError", message, param);
}

std::string joined(SimOptions const& options) {
  std::string names;
  for (auto const& name : options.models) names += (names.empty() ? "" : ", ") + name;
  for (auto const& lora : options.loras) names += ", " + lora.id;
  return names;
}

Parsed<Job> with_limit(Parsed<Job> job, Json const& body, char const* key, SimOptions const& options) {
  auto const* limit = member(body, key);
  if (!job || limit == nullptr) return job;
  auto const loc = "body." + std::string(key);
  if (limit->is_string()) {
    return wrong_type("int_parsing", loc, "Input should be a valid integer, unable to parse string as an integer",
                      limit->get<std::string>());
  }
  if (!limit->is_number_integer()) return wrong_type("int_type", loc, "Input should be a valid integer", dump(*limit));
  auto const text = dump(*limit);
  if (text == "0" || text.front() == '-')
    return bad_value(key, std::string(key) + " must be at least 1, got " + text + ".", text);
  auto const value = limit->get<std::uint64_t>();
  if (value > options.max_model_len) {
    return bad_value(key,
                     std::string(key) + "=" + text + " cannot be greater than max_model_len=" +
                         std::to_string(options.max_model_len) + ". Please request fewer output tokens.",
                     text);
  }
  job->tokens = static_cast<std::uint32_t>(value);
  job->limited = true;
  return job;
}

Parsed<Job> with_sampling(Parsed<Job> job, Json const& body) {
  auto const* temperature = member(body, "temperature");
  if (!job || temperature == nullptr || !temperature->is_number() || temperature->get<double>() >= 0) return job;
  Json const value = temperature->get<double>();
  return bad_value("temperature", "temperature must be non-negative, got " + dump(value) + ".", dump(value));
}

Parsed<Job> with_stream_options(Parsed<Job> job, Json const& body) {
  auto const* options = member(body, "stream_options");
  if (!job || options == nullptr) return job;
  job->include_usage = bool_or(*options, "include_usage", false);
  job->continuous_usage = job->include_usage && bool_or(*options, "continuous_usage_stats", false);
  return job;
}

Reply too_long(SimOptions const& options) {
  auto const limit = std::to_string(options.max_model_len);
  auto const seen = std::to_string(std::uint64_t{options.max_model_len} + 1);
  return bad_value("input_tokens",
                   "This model's maximum context length is " + limit +
                       " tokens. However, your prompt contains at least " + seen +
                       " input tokens, which exceeds this limit even without any output tokens. Please reduce "
                       "the length of the input prompt.",
                   seen);
}

}  // namespace

Parsed<Json> parse_body(Request const& request) {
  if (!request.content_type.starts_with("application/json")) {
    return error_reply(400, "Bad Request",
                       "1 validation error:\n  Unsupported Media Type: Only 'application/json' is allowed");
  }
  if (too_deep(request.body)) return not_json(0);
  try {
    auto body = Json::parse(request.body);
    if (body.is_object()) return Parsed<Json>(boost::system::in_place_value, std::move(body));
    return wrong_type("dict_type", "body", "Input should be a valid dictionary", dump(body));
  } catch (Json::parse_error const& error) {
    return not_json(std::min(error.byte, request.body.size()));
  }
}

bool serves(SimOptions const& options, std::string_view model) {
  auto const is_it = [&](auto const& lora) { return lora.id == model; };
  return std::find(options.models.begin(), options.models.end(), model) != options.models.end() ||
         std::any_of(options.loras.begin(), options.loras.end(), is_it);
}

std::string unknown_model(SimOptions const& options, std::string_view model) {
  return "The model `" + std::string(model) + "` does not exist. Valid aliases: " + joined(options) + ".";
}

Parsed<Job> base_job(EngineState& engine, Request const& request, Json const& body, Tokens prompt) {
  auto const& options = engine.options;
  Job job;
  job.model = string_or(body, "model", options.models.front());
  if (!serves(options, job.model)) return error_reply(404, "NotFoundError", unknown_model(options, job.model), "model");
  if (prompt.size() > options.max_model_len) return too_long(options);
  job.id = request.request_id.empty() ? engine.unique_id() : request.request_id;
  job.created = unix_seconds();
  job.prompt = std::move(prompt);
  // Aliases of the base model share its blocks, an adapter has its own.
  bool const is_base = std::find(options.models.begin(), options.models.end(), job.model) != options.models.end();
  job.hashes = block_hashes(job.prompt, options.block_size, string_or(body, "cache_salt") + (is_base ? "" : job.model));
  job.tokens = options.tokens;
  job.stream = bool_or(body, "stream", false);
  return job;
}

Parsed<Job> with_prefix(Parsed<Job> job, std::string_view prefix) {
  if (job) job->id.insert(0, prefix);
  return job;
}

Parsed<Job> chat_job(EngineState& engine, Request const& request) {
  auto const body = parse_body(request);
  if (!body) return body.error();
  if (member(*body, "messages") == nullptr) return missing_field(*body, "messages");
  auto job = with_prefix(base_job(engine, request, *body, tokenize(chat_text(*body))), "chatcmpl-");
  job = with_limit(std::move(job), *body, "max_tokens", engine.options);
  job = with_limit(std::move(job), *body, "max_completion_tokens", engine.options);
  return with_stream_options(with_sampling(std::move(job), *body), *body);
}

Parsed<Job> completion_job(EngineState& engine, Request const& request) {
  auto const body = parse_body(request);
  if (!body) return body.error();
  auto const* prompt = member(*body, "prompt");
  if (prompt == nullptr) return missing_field(*body, "prompt");
  std::uint32_t choices = 1;
  auto job = with_prefix(base_job(engine, request, *body, prompt_tokens(*prompt, choices)), "cmpl-");
  if (job) job->choices = choices;
  job = with_limit(std::move(job), *body, "max_tokens", engine.options);
  return with_stream_options(with_sampling(std::move(job), *body), *body);
}

Parsed<Job> responses_job(EngineState& engine, Request const& request) {
  auto const body = parse_body(request);
  if (!body) return body.error();
  if (member(*body, "input") == nullptr) return missing_field(*body, "input");
  auto job = base_job(engine, request, *body, tokenize(responses_text(*body)));
  if (job) {
    // Not from X-Request-Id: the id outlives the request and must be unique.
    job->id = "resp_" + engine.unique_id();
    job->background = bool_or(*body, "background", false) && !job->stream;
    job->store = bool_or(*body, "store", true);
  }
  return with_sampling(with_limit(std::move(job), *body, "max_output_tokens", engine.options), *body);
}

Parsed<Job> messages_job(EngineState& engine, Request const& request) {
  auto const body = parse_body(request);
  if (!body) return body.error();
  for (auto const* field : {"messages", "max_tokens"}) {
    if (member(*body, field) == nullptr) return missing_field(*body, field);
  }
  auto job = with_prefix(base_job(engine, request, *body, tokenize(chat_text(*body))), "chatcmpl-");
  if (!job && job.error().status == 404) {
    return anthropic_error(404, "NotFoundError", unknown_model(engine.options, string_or(*body, "model")));
  }
  return with_limit(std::move(job), *body, "max_tokens", engine.options);
}

Parsed<Job> transcription_job(EngineState& engine, Request const& request) {
  auto const form = parse_multipart(request.content_type, request.body);
  Json body = Json::object();
  for (auto const& [name, value] : form) {
    if (name == "model") body["model"] = value;
    if (name == "stream") body["stream"] = value == "true";
  }
  auto const file = std::find_if(form.begin(), form.end(), [](auto const& field) { return field.first == "file"; });
  if (file == form.end()) return missing_field(body, "file");
  return with_prefix(base_job(engine, request, body, tokenize(file->second)), "trsc-");
}

}  // namespace kvgate::sim
