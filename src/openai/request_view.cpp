#include "openai/request_view.hpp"

#include <simdjson.h>

#include <algorithm>
#include <bit>
#include <charconv>

#include "openai/json_fields.hpp"
#include "openai/multipart.hpp"

namespace kvgate::openai {
namespace {

namespace ondemand = simdjson::ondemand;

static_assert(kBodyPadding >= simdjson::SIMDJSON_PADDING);

constexpr std::size_t kKeptScratch = 1024 * 1024;
constexpr std::size_t kKeptString = 4096;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string_view trim_end(std::string_view text) {
  auto const last = text.find_last_not_of(" \t\r\n");
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

Error model_error(char const* what) {
  return Error(ErrorKind::bad_request, what, "model");
}

Error json_error(simdjson::error_code code, std::string_view body) {
  if (code == simdjson::MEMALLOC) return Error(ErrorKind::out_of_memory);
  if (code == simdjson::EMPTY) return Error(ErrorKind::bad_request, "the request body is empty");
  if (body.starts_with(kByteOrderMark)) {
    return Error(ErrorKind::bad_request, "the request body starts with a byte order mark, which JSON does not allow");
  }
  if (code == simdjson::INCORRECT_TYPE) return Error(ErrorKind::bad_request, "the request body is not a JSON object");
  return Error(ErrorKind::bad_request,
               std::string("the request body is not valid JSON: ") + simdjson::error_message(code));
}

std::optional<std::uint64_t> whole_number(std::string_view token) {
  std::uint64_t value = 0;
  auto const [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (error != std::errc() || end != token.data() + token.size()) return std::nullopt;
  return value;
}

/// What stands between the quotes of a string without escapes; empty for all else.
std::string_view plain_string(std::string_view token) {
  bool const quoted = token.size() >= 2 && token.front() == '"' && token.back() == '"';
  bool const plain = quoted && token.find('\\') == std::string_view::npos;
  return plain ? token.substr(1, token.size() - 2) : std::string_view();
}

/// The raw text of a string, array or object; empty for scalars and for what is not closed.
std::string_view raw_text(ondemand::value& value, std::string_view token) {
  std::string_view raw;
  if (token.starts_with('"')) return token;
  if (token.starts_with('[')) {
    ondemand::array array;
    if (value.get_array().get(array) || array.raw_json().get(raw)) return {};
  } else if (token.starts_with('{')) {
    ondemand::object object;
    if (value.get_object().get(object) || object.raw_json().get(raw)) return {};
  }
  return trim_end(raw);
}

/// Decodes a JSON string. Most have no escapes and stay where they are; the others are copied into `scratch`, so that
/// no view ever points into simdjson's buffer. nullopt: not a string, or a broken or lone-surrogate escape.
std::optional<std::string_view> decode_string(ondemand::value& value, std::string_view token, std::string& scratch) {
  if (token.size() < 2 || token.front() != '"' || token.back() != '"') return std::nullopt;
  auto const inner = token.substr(1, token.size() - 2);
  if (inner.find('\\') == std::string_view::npos) return inner;
  std::string_view decoded;
  if (value.get_string().get(decoded)) return std::nullopt;
  scratch = decoded;
  return scratch;
}

/// Decoded values that hold escapes.
struct Decoded {
  std::string model, cache_salt;
  std::array<std::string, kMaxExtraFields> extra;

  template <class Self, class Use>
  static void each_of(Self& self, Use use) {
    use(self.model);
    use(self.cache_salt);
    for (auto& text : self.extra) use(text);
  }
  template <class Use>
  void each(Use use) const {
    each_of(*this, use);
  }
  template <class Use>
  void each(Use use) {
    each_of(*this, use);
  }
};

}  // namespace

struct RequestParser::Impl {
  ondemand::parser parser;
  Decoded decoded;

  void trim_strings() {
    decoded.each([](std::string& text) {
      text.clear();
      if (text.capacity() > kKeptString) text.shrink_to_fit();
    });
  }

  void trim_parser() {
    if (scratch_for(parser.capacity()) > kKeptScratch) parser = ondemand::parser();
  }
};

namespace {

/// One pass over the top-level fields.
class FieldReader {
 public:
  FieldReader(RequestView& view, std::span<std::string const> extra_fields, Decoded& decoded)
      : view_(view),
        extra_fields_(extra_fields.first(std::min(extra_fields.size(), kMaxExtraFields))),
        decoded_(decoded) {}

  std::optional<Error> read(ondemand::field& field) {
    std::string_view name;
    // A key that cannot be decoded is none of ours.
    if (field.unescaped_key().get(name)) return std::nullopt;
    auto const key = key_of(name);
    auto const extra = extra_mask(name);
    if (key == Key::other && extra == 0) return std::nullopt;
    if (repeated(key, extra)) return repeated_error(name);
    auto& value = field.value();
    auto const token = trim_end(value.raw_json_token());
    if (key == Key::model) {
      if (auto error = read_model(value, token)) return error;
    }
    if (extra != 0) read_extra(extra, value, token);
    read_value(key, value, token);
    return std::nullopt;
  }

 private:
  /// Bit i: the extra field i has that name.
  std::uint32_t extra_mask(std::string_view name) const {
    std::uint32_t mask = 0;
    for (std::size_t i = 0; i < extra_fields_.size(); ++i) {
      if (extra_fields_[i] == name && !name.empty()) mask |= std::uint32_t{1} << i;
    }
    return mask;
  }

  bool repeated(Key key, std::uint32_t extra) {
    auto const bit = key == Key::other ? 0 : std::uint64_t{1} << static_cast<unsigned>(key);
    auto const was = (seen_ & bit) != 0 || (seen_extra_ & extra) != 0;
    seen_ |= bit;
    seen_extra_ |= extra;
    return was;
  }

  static Error repeated_error(std::string_view name) {
    std::string text(name);
    return Error(ErrorKind::bad_request, "`" + text + "` is given more than once", text);
  }

  std::optional<Error> read_model(ondemand::value& value, std::string_view token) {
    if (!token.starts_with('"')) return model_error("`model` must be a string");
    view_.model = decode_string(value, token, decoded_.model);
    if (!view_.model) return model_error("`model` is not a valid string");
    if (view_.model->empty()) return model_error("`model` must not be empty");
    view_.model_token = token;
    return std::nullopt;
  }

  /// The first of these fields decodes, the others (the same name again) see what it found.
  void read_extra(std::uint32_t mask, ondemand::value& value, std::string_view token) {
    auto const first = static_cast<std::size_t>(std::countr_zero(mask));
    auto const number = token.starts_with('-') || (!token.empty() && token.front() >= '0' && token.front() <= '9');
    auto found = number ? std::optional(token) : decode_string(value, token, decoded_.extra[first]);
    if (found && found->empty()) found.reset();
    for (; mask != 0; mask &= mask - 1) view_.extra[static_cast<std::size_t>(std::countr_zero(mask))] = found;
  }

  void read_value(Key key, ondemand::value& value, std::string_view token) {
    if (key == Key::previous_response_id) view_.previous_response = plain_string(token);
    if (auto const part = part_of(key)) return read_part(*part, value, token);
    if (key == Key::cache_salt) view_.cache_salt = decode_string(value, token, decoded_.cache_salt);
    if (key == Key::messages) view_.messages = raw_text(value, token);
    if (holds_prompt(key)) read_prompt(key, raw_text(value, token));
    if (key >= Key::max_completion_tokens && key <= Key::max_tokens) read_limit(key, whole_number(token));
    if (key == Key::stream) view_.stream = token == "true";
    if ((key == Key::background || key == Key::store) && token == "true") view_.background_or_store = true;
  }

  void read_part(PromptPart part, ondemand::value& value, std::string_view token) {
    auto const flag = token == "true" || token == "false";
    view_.parts[static_cast<std::size_t>(part)] = flag ? token : raw_text(value, token);
  }

  /// The API's own key wins, then the order of Key.
  void read_prompt(Key key, std::string_view raw) {
    auto const rank = key == prompt_key(view_.api) ? Key::other : key;
    if (raw.empty() || (!view_.prompt.empty() && rank > prompt_rank_)) return;
    view_.prompt = raw;
    prompt_rank_ = rank;
  }

  void read_limit(Key key, std::optional<std::uint64_t> value) {
    if (!value || (view_.max_tokens && key > limit_rank_)) return;
    view_.max_tokens = value;
    limit_rank_ = key;
  }

  RequestView& view_;
  std::span<std::string const> extra_fields_;
  Decoded& decoded_;
  std::uint64_t seen_ = 0;
  std::uint32_t seen_extra_ = 0;
  Key prompt_rank_ = Key::other;
  Key limit_rank_ = Key::other;
};

std::optional<Error> read_fields(ondemand::document& document, std::string_view body, FieldReader& reader) {
  ondemand::object object;
  if (auto const code = document.get_object().get(object)) return json_error(code, body);
  for (auto next : object) {
    ondemand::field field;
    if (auto const code = std::move(next).get(field)) return json_error(code, body);
    if (auto error = reader.read(field)) return error;
  }
  // On demand, simdjson does not look behind the object by itself.
  if (document.current_location().error() != simdjson::OUT_OF_BOUNDS) {
    return Error(ErrorKind::bad_request, "the request body is not valid JSON: something follows the object");
  }
  return std::nullopt;
}

}  // namespace

RequestParser::RequestParser() : impl_(std::make_unique<Impl>()) {}
RequestParser::~RequestParser() = default;
RequestParser::RequestParser(RequestParser&&) noexcept = default;
RequestParser& RequestParser::operator=(RequestParser&&) noexcept = default;

Result<RequestView> RequestParser::parse_json(ApiKind api, std::string_view body,
                                              std::span<std::string const> extra_fields) {
  impl_->trim_strings();
  RequestView view;
  view.api = api;
  std::optional<Error> error;
  ondemand::document document;
  simdjson::padded_string_view const padded(body.data(), body.size(), body.size() + kBodyPadding);
  if (auto const code = impl_->parser.iterate(padded).get(document)) {
    error = json_error(code, body);
  } else {
    FieldReader reader(view, extra_fields, impl_->decoded);
    error = read_fields(document, body, reader);
  }
  impl_->trim_parser();
  if (error) return *std::move(error);
  return view;
}

Result<RequestView> RequestParser::parse_multipart(ApiKind api, std::string_view content_type, std::string_view body) {
  auto const form = read_form(content_type, body);
  if (!form) return form.error();
  RequestView view;
  view.api = api;
  view.stream = form->stream == "true";
  if (!form->model) return view;
  if (form->model->empty()) return model_error("`model` must not be empty");
  if (!simdjson::validate_utf8(form->model->data(), form->model->size())) {
    return model_error("`model` is not valid UTF-8");
  }
  view.model = form->model;
  view.model_token = *form->model;
  return view;
}

// simdjson's index has four bytes for each byte of the body, its string buffer five thirds.
std::size_t RequestParser::scratch_for(std::size_t body_size) noexcept {
  return body_size * 4 + body_size * 5 / 3 + 256;
}

}  // namespace kvgate::openai
