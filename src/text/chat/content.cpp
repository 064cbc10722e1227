#include "text/chat/content.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "base/stable_hash.hpp"

namespace kvgate::text {
namespace {

using jinja::Arena;
using jinja::Dict;

enum class PartKind { text, tool_reference, image, audio, video, prompt_embeds };

/// A part type, and the field of the part that holds its content.
struct PartType {
  std::string_view type;
  PartKind kind;
  std::string_view field;
};

constexpr std::array<PartType, 17> kPartTypes{{{"text", PartKind::text, "text"},
                                               {"thinking", PartKind::text, "thinking"},
                                               {"input_text", PartKind::text, "text"},
                                               {"output_text", PartKind::text, "text"},
                                               {"refusal", PartKind::text, "refusal"},
                                               {"tool_reference", PartKind::tool_reference, "name"},
                                               {"input_image", PartKind::image, "image_url"},
                                               {"image_url", PartKind::image, "image_url"},
                                               {"image_embeds", PartKind::image, "image_embeds"},
                                               {"image_pil", PartKind::image, "image_pil"},
                                               {"audio_embeds", PartKind::audio, "audio_embeds"},
                                               {"audio_url", PartKind::audio, "audio_url"},
                                               {"input_audio", PartKind::audio, "input_audio"},
                                               {"video_embeds", PartKind::video, "video_embeds"},
                                               {"video_url", PartKind::video, "video_url"},
                                               {"prompt_embeds", PartKind::prompt_embeds, "data"},
                                               {"prompt_embeds", PartKind::prompt_embeds, "prompt_embeds"}}};

// Fields that tell what a part without a type (or with a uuid) is, in the order in which they are looked for.
constexpr std::array<std::string_view, 9> kTellingFields{"image_url",    "image_pil",    "image_embeds",
                                                         "audio_embeds", "video_embeds", "prompt_embeds",
                                                         "audio_url",    "input_audio",  "video_url"};

// Fields of parts that any of vLLM's shapes knows; the others survive in the format `openai`.
constexpr std::array<std::string_view, 18> kKnownFields{
    "audio_embeds", "audio_url", "closed",      "data",      "file",         "image_embeds",
    "image_pil",    "image_url", "input_audio", "name",      "refusal",      "text",
    "type",         "thinking",  "uuid",        "video_url", "video_embeds", "prompt_cache_breakpoint"};

PartType const* part_type(std::string_view type) {
  auto const* found = std::ranges::find(kPartTypes, type, &PartType::type);
  return found == kPartTypes.end() ? nullptr : found;
}

PartType const* told_by_fields(Value const& part) {
  for (std::string_view field : kTellingFields) {
    if (part.dict().find(field) != nullptr) return part_type(field);
  }
  return part.dict().find("tool_reference") != nullptr ? part_type("tool_reference") : nullptr;
}

/// Which type a part has. Stops: refused.
Outcome<PartType const*> type_of(Value const& part) {
  Value const type = part.get("type");
  bool const has_uuid = !is_null(part.get("uuid"));
  PartType const* known = type.is_string() ? part_type(type.text()) : nullptr;
  if (known != nullptr && !has_uuid) return known;
  if (is_null(type) || has_uuid) {
    PartType const* told = told_by_fields(part);
    if (told == nullptr) return refused("Missing 'type' field in multimodal part.");
    return told;
  }
  if (!type.is_string()) return refused("Invalid 'type' field in multimodal part.");
  return refused("Unsupported chat content part type: '" + std::string(type.text()) + "'.");
}

std::uint64_t source_hash(Value const& source) {
  if (source.is_string()) return stable_hash(source.text());
  if (!source.is_dict()) return 0;
  std::uint64_t hash = 0;
  for (auto const& entry : source.dict().entries()) hash = mixed(hash ^ source_hash(entry.value));
  return hash;
}

std::string_view modality(PartKind kind) {
  return kind == PartKind::image ? "image" : kind == PartKind::audio ? "audio" : "video";
}

Dict* text_dict(Value const& text, Arena& arena) {
  Dict* out = Dict::create(arena, 2);
  out->set(arena, "type", Value::string("text"));
  out->set(arena, "text", text);
  return out;
}

Value text_part(Value const& text, Arena& arena) {
  return Value::dict(text_dict(text, arena));
}

Value with_extras(Dict* out, Value const& part, Arena& arena) {
  if (part.dict().size() > 2 || part.dict().find("type") == nullptr) {
    for (auto const& entry : part.dict().entries()) {
      if (std::ranges::find(kKnownFields, entry.key.text()) == kKnownFields.end()) {
        out->set(arena, entry.key, entry.value);
      }
    }
  }
  return Value::dict(out);
}

/// What becomes of one part. As text: a text, or undefined for nothing.
class PartReader {
 public:
  PartReader(jinja::ContentFormat format, Media& media, Arena& arena)
      : as_dicts_(format == jinja::ContentFormat::openai), media_(media), arena_(arena) {}

  Outcome<Value> read(Value const& part) {
    if (part.is_string()) return as_dicts_ ? text_part(part, arena_) : part;
    if (!part.is_dict()) return refused("content parts must be texts or objects");
    auto const type = type_of(part);
    if (!type) return type.error();
    switch ((*type)->kind) {
      case PartKind::text:
        return text(part, **type);
      case PartKind::tool_reference:
        return reference(part);
      case PartKind::prompt_embeds:
        return cannot_tell(Unknown::prompt_embeds);
      default:
        return medium(part, **type);
    }
  }

 private:
  Outcome<Value> text(Value const& part, PartType const& type) {
    Value const content = part.get(type.field);
    bool const skipped = type.type == "text" || type.type == "refusal";
    if (skipped && is_null(content)) return Value();
    if (as_dicts_) {
      Value const text = content.is_undefined() ? Value::none() : content;
      return with_extras(text_dict(text, arena_), part, arena_);
    }
    return only_text(content);
  }

  static Outcome<Value> only_text(Value const& value) {
    if (!value.is_string() && truthy(value)) return refused("text parts must hold text");
    return value.is_string() ? value : Value();
  }

  Outcome<Value> reference(Value const& part) {
    Value const name = part.get("name");
    if (!as_dicts_) return only_text(name);
    Dict* out = Dict::create(arena_, 2);
    out->set(arena_, "type", Value::string("tool_reference"));
    out->set(arena_, "name", is_null(name) ? Value::none() : name);
    return Value::dict(out);
  }

  Value medium(Value const& part, PartType const& type) {
    media_.hashes.push_back(mixed(source_hash(part.get(type.field)) ^ source_hash(part.get("uuid"))));
    if (!as_dicts_) return Value();
    if (media_.hashes.size() == 1 && !media_.marker.empty()) return text_part(Value::string(media_.marker), arena_);
    Dict* out = Dict::create(arena_, 2);
    out->set(arena_, "type", Value::string(modality(type.kind)));
    return with_extras(out, part, arena_);
  }

  bool as_dicts_;
  Media& media_;
  Arena& arena_;
};

constexpr std::string_view kBillingHeader = "x-anthropic-billing-header";

/// A system text without the line of a billing header, which changes with every request; nullopt: nothing is left.
std::optional<std::string_view> without_billing(std::string_view text) {
  if (!text.starts_with(kBillingHeader)) return text;
  std::size_t const end = text.find('\n');
  if (end == std::string_view::npos || end + 1 == text.size()) return std::nullopt;
  return text.substr(end + 1);
}

/// The part without a billing header, undefined if nothing is left.
Value without_billing(Value const& part, Arena& arena) {
  bool const is_part = part.is_dict() && is_text(part.get("type"), "text");
  Value const text = is_part ? part.get("text") : part;
  if (!text.is_string() || !text.text().starts_with(kBillingHeader)) return part;
  auto const rest = without_billing(text.text());
  if (!rest) return Value();
  if (!is_part) return Value::string(*rest);
  Dict* out = in_order({}, part, arena);
  out->set(arena, "text", Value::string(*rest));
  return Value::dict(out);
}

Value joined(std::vector<Value> const& texts, Arena& arena) {
  std::size_t size = 0;
  for (Value const& text : texts) size += text.text().size() + 1;
  if (size == 0) return Value::string({});
  char* const out = arena.allocate_array<char>(size);
  char* next = out;
  for (Value const& text : texts) {
    next = std::ranges::copy(text.text(), next).out;
    *next++ = '\n';
  }
  return Value::string({out, size - 1});
}

Value list_of(std::vector<Value> const& items, Arena& arena) {
  Value* out = arena.allocate_array<Value>(items.size());
  std::ranges::copy(items, out);
  return Value::list({out, items.size()});
}

Outcome<Value> list_content(Message const& message, jinja::ContentFormat format, Media& media, Arena& arena) {
  if (message.broken_content) return refused("a message has a content part of the wrong form");
  PartReader reader(format, media, arena);
  std::vector<Value> parts;
  std::size_t const media_before = media.hashes.size();
  for (Value const& raw : message.content.items()) {
    Value const part = message.role == "system" ? without_billing(raw, arena) : raw;
    if (part.is_undefined()) continue;
    auto const read = reader.read(part);
    if (!read) return read;
    bool const empty = read->is_undefined() || (read->is_string() && read->text().empty());
    if (!empty) parts.push_back(*read);
  }
  if (format == jinja::ContentFormat::openai) return list_of(parts, arena);
  bool const first_media = media_before == 0 && !media.hashes.empty();
  if (first_media && !media.marker.empty()) return Value::string(media.marker);
  return joined(parts, arena);
}

bool is_media_part(Value const& part) {
  if (!part.is_dict()) return false;
  for (auto const& entry : part.dict().entries()) {
    PartType const* type = part_type(entry.key.text());
    if (type != nullptr && type->kind > PartKind::tool_reference) return true;
  }
  Value const type = part.get("type");
  if (type.is_undefined()) return false;
  PartType const* known = type.is_string() ? part_type(type.text()) : nullptr;
  return known == nullptr || known->kind > PartKind::tool_reference;
}

}  // namespace

Outcome<Value> message_content(Message const& message, jinja::ContentFormat format, Media& media, Arena& arena) {
  if (message.content.is_sequence()) return list_content(message, format, media, arena);
  if (is_null(message.content)) {
    return format == jinja::ContentFormat::openai ? Value::list({}) : Value::string({});
  }
  std::string_view text = message.content.text();
  if (message.role == "system") {
    auto const rest = without_billing(text);
    if (!rest) return format == jinja::ContentFormat::openai ? Value::list({}) : Value::string({});
    text = *rest;
  }
  if (format == jinja::ContentFormat::string) return Value::string(text);
  return list_of({text_part(Value::string(text), arena)}, arena);
}

bool has_media(Value const& messages) {
  if (!messages.is_sequence()) return false;
  for (Value const& message : messages.items()) {
    Value const content = message.get("content");
    if (content.is_sequence() && std::ranges::any_of(content.items(), is_media_part)) return true;
  }
  return false;
}

}  // namespace kvgate::text
