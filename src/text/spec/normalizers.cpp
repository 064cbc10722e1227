#include "text/spec/components.hpp"

namespace kvgate::text::spec {
namespace {

BertNormalizer read_bert(object const& in) {
  constexpr std::string_view kName = "BertNormalizer";
  BertNormalizer bert;
  bert.clean_text = get_bool(in, "clean_text", kName);
  bert.handle_chinese_chars = get_bool(in, "handle_chinese_chars", kName);
  bert.lowercase = get_bool(in, "lowercase", kName);
  bert.strip_accents = get_bool(in, "strip_accents", kName, bert.lowercase);
  return bert;
}

StripNormalizer read_strip(object const& in) {
  return {get_bool(in, "strip_left", "Strip"), get_bool(in, "strip_right", "Strip")};
}

/// With nothing to prepend the library loses count of the text's characters, and fails or goes wrong at the next step.
PrependNormalizer read_prepend(object const& in) {
  PrependNormalizer prepend{get_string(in, "prepend", "Prepend")};
  if (prepend.text.empty()) throw SpecError{"Prepend: an empty \"prepend\" is not supported"};
  return prepend;
}

NormalizerSpec read_one(std::string_view type, object const& in) {
  if (type == "NFC") return NormalizeForm{UnicodeForm::nfc};
  if (type == "NFD") return NormalizeForm{UnicodeForm::nfd};
  if (type == "NFKC") return NormalizeForm{UnicodeForm::nfkc};
  if (type == "NFKD") return NormalizeForm{UnicodeForm::nfkd};
  if (type == "Lowercase") return Lowercase{};
  if (type == "StripAccents") return StripAccents{};
  if (type == "Nmt") return NmtNormalizer{};
  if (type == "ByteLevel") return ByteLevelNormalizer{};
  if (type == "Strip") return read_strip(in);
  if (type == "Replace") return ReplaceNormalizer{read_pattern(in, "Replace"), get_string(in, "content", "Replace")};
  if (type == "Prepend") return read_prepend(in);
  if (type == "Precompiled") {
    return PrecompiledNormalizer{
        decode_base64(get_string(in, "precompiled_charsmap", "Precompiled"), "Precompiled: \"precompiled_charsmap\"")};
  }
  if (type == "BertNormalizer" || type == "Bert") return read_bert(in);
  throw SpecError{"normalizer: type " + in_quotes(type) + " is not supported"};
}

void read_nested(element const& value, int depth, std::vector<NormalizerSpec>& out) {
  object const in = as_object(value, "normalizer");
  std::string_view const type = component_type(in, "normalizer", depth);
  if (type != "Sequence") {
    out.push_back(read_one(type, in));
    return;
  }
  for (element const& member : as_array(required(in, "normalizers", "normalizer Sequence"), "normalizers")) {
    read_nested(member, depth + 1, out);
  }
}

}  // namespace

void read_normalizer(element const& value, std::vector<NormalizerSpec>& out) {
  if (!value.is_null()) read_nested(value, 0, out);
}

}  // namespace kvgate::text::spec
