#include "text/chat/pair_format.hpp"

#include <optional>
#include <string>

#include "text/chat/typed_dict.hpp"
#include "text/jinja/json_reader.hpp"

namespace kvgate::text {
namespace {

using Kind = PairFormat::Piece::Kind;

Error unknown(std::string_view what) {
  return Error(ErrorKind::bad_request, "post_processor: " + std::string(what) + " is not supported for pairs");
}

std::optional<std::uint32_t> id_of(Value const& id) {
  if (!id.is(jinja::Kind::integer) || id.int64() < 0 || id.int64() > 0xffffffff) return std::nullopt;
  return static_cast<std::uint32_t>(id.int64());
}

/// The id in ["[SEP]", 102].
std::optional<std::uint32_t> named_id(Value const& pair) {
  if (!pair.is_sequence() || pair.items().size() != 2) return std::nullopt;
  return id_of(pair.items()[1]);
}

Result<void> append_special(Value const& name, Value const& tokens, PairFormat& out) {
  Value const ids = name.is_string() ? tokens.get(name.text()).get("ids") : Value();
  if (!ids.is_sequence()) return unknown("a special token without ids");
  for (Value const& item : ids.items()) {
    auto const id = id_of(item);
    if (!id) return unknown("an id");
    out.pieces.push_back({Kind::special, *id});
  }
  return {};
}

Result<PairFormat> from_template(Value const& processor) {
  Value const pair = processor.get("pair");
  if (!pair.is_sequence()) return unknown("a template without pair");
  PairFormat out;
  for (Value const& piece : pair.items()) {
    Value const sequence = piece.get("Sequence");
    if (!sequence.is_undefined()) {
      out.pieces.push_back({is_text(sequence.get("id"), "A") ? Kind::first : Kind::second, 0});
      continue;
    }
    auto const appended = append_special(piece.get("SpecialToken").get("id"), processor.get("special_tokens"), out);
    if (!appended) return appended.error();
  }
  return out;
}

/// BERT's one separator between the texts, or RoBERTa's two.
Result<PairFormat> from_separators(Value const& processor, int between) {
  auto const cls = named_id(processor.get("cls"));
  auto const sep = named_id(processor.get("sep"));
  if (!cls || !sep) return unknown("a processor without cls and sep");
  PairFormat out;
  out.pieces = {{Kind::special, *cls}, {Kind::first, 0}};
  for (int i = 0; i < between; ++i) out.pieces.push_back({Kind::special, *sep});
  out.pieces.insert(out.pieces.end(), {{Kind::second, 0}, {Kind::special, *sep}});
  return out;
}

Result<PairFormat> from_processor(Value const& processor) {
  Value const type = processor.get("type");
  if (is_null(processor) || is_text(type, "ByteLevel")) return PairFormat{{{Kind::first, 0}, {Kind::second, 0}}};
  if (is_text(type, "TemplateProcessing")) return from_template(processor);
  if (is_text(type, "BertProcessing")) return from_separators(processor, 1);
  if (is_text(type, "RobertaProcessing")) return from_separators(processor, 2);
  return unknown(type.is_string() ? type.text() : "something without a type");
}

/// A sequence adds what one of its members adds, if the others add nothing.
Result<PairFormat> from_sequence(Value const& processors) {
  PairFormat out{{{Kind::first, 0}, {Kind::second, 0}}};
  bool adds = false;
  for (Value const& processor : processors.items()) {
    auto one = from_processor(processor);
    if (!one) return one;
    if (one->pieces.size() == 2) continue;
    if (adds) return unknown("a sequence of several");
    adds = true;
    out = std::move(*one);
  }
  return out;
}

}  // namespace

Result<PairFormat> parse_pair_format(std::string_view tokenizer_json) {
  jinja::Arena arena;
  auto const parsed = jinja::parse_json(tokenizer_json, arena);
  if (!parsed) return parsed.error();
  Value const processor = parsed->get("post_processor");
  bool const sequence = is_text(processor.get("type"), "Sequence") && processor.get("processors").is_sequence();
  return sequence ? from_sequence(processor.get("processors")) : from_processor(processor);
}

}  // namespace kvgate::text
