#include "text/chat/part_shapes.hpp"

#include <algorithm>
#include <cstddef>

namespace kvgate::text {
namespace {

/// A text that can be a template argument.
template <std::size_t n>
struct Word {
  char text[n];
  constexpr Word(char const (&literal)[n]) { std::copy_n(literal, n, text); }  // NOLINT: meant to convert
};

template <Word... words>
int one_of(Value const& value) {
  return (is_text(value, words.text) || ...) ? 0 : kInvalid;
}

template <auto const& shape>
int nested(Value const& value) {
  return count_fields(shape, value);
}

int count_embeds(Value const& value) {
  return value.is_dict() ? 0 : check_text_or_null(value);
}

constexpr Field kBreakpointFields[]{{"mode", one_of<"explicit">, true}, {"ttl", one_of<"30m", "12h">}};
constexpr Field kImageUrlFields[]{{"url", check_text, true}, {"detail", one_of<"auto", "low", "high", "original">}};
constexpr Field kUrlFields[]{{"url", check_text, true}};
constexpr Field kAudioFields[]{{"data", check_text, true}, {"format", one_of<"wav", "mp3">, true}};
constexpr Field kFileFields[]{{"file_data", check_text}, {"file_id", check_text}, {"filename", check_text}};
constexpr Field kBreakpoint{"prompt_cache_breakpoint", nested<kBreakpointFields>};

constexpr Field kText[]{{"text", check_text, true}, {"type", one_of<"text">, true}, kBreakpoint};
constexpr Field kImage[]{
    {"image_url", nested<kImageUrlFields>, true}, {"type", one_of<"image_url">, true}, kBreakpoint};
constexpr Field kInputAudio[]{
    {"input_audio", nested<kAudioFields>, true}, {"type", one_of<"input_audio">, true}, kBreakpoint};
constexpr Field kFile[]{{"file", nested<kFileFields>, true}, {"type", one_of<"file">, true}, kBreakpoint};
constexpr Field kRefusal[]{{"refusal", check_text, true}, {"type", one_of<"refusal">, true}};

constexpr Field kAudioUrl[]{{"audio_url", nested<kUrlFields>, true}, {"type", one_of<"audio_url">, true}};
constexpr Field kVideoUrl[]{{"video_url", nested<kUrlFields>, true}, {"type", one_of<"video_url">, true}};
constexpr Field kPilImage[]{{"image_pil", check_null}, {"uuid", check_text_or_null}};
constexpr Field kSimpleImage[]{{"image_url", check_text_or_null}, {"uuid", check_text_or_null}};
constexpr Field kImageEmbeds[]{
    {"image_embeds", count_embeds}, {"type", one_of<"image_embeds">, true}, {"uuid", check_text_or_null}};
constexpr Field kAudioEmbeds[]{
    {"audio_embeds", count_embeds}, {"type", one_of<"audio_embeds">, true}, {"uuid", check_text_or_null}};
constexpr Field kVideoEmbeds[]{
    {"video_embeds", count_embeds}, {"type", one_of<"video_embeds">, true}, {"uuid", check_text_or_null}};
constexpr Field kPromptEmbeds[]{{"data", check_text, true}, {"type", one_of<"prompt_embeds">, true}};
constexpr Field kSimpleAudio[]{{"audio_url", check_text_or_null}};
constexpr Field kSimpleVideo[]{{"video_url", check_text_or_null}, {"uuid", check_text_or_null}};
constexpr Field kToolReference[]{{"name", check_text}, {"type", one_of<"tool_reference">}};
constexpr Field kThinking[]{{"thinking", check_text, true}, {"closed", check_bool}, {"type", one_of<"thinking">, true}};

template <auto const&... shapes>
int most_fields(Value const& part) {
  return std::max({count_fields(shapes, part)...});
}

}  // namespace

int count_text_part(Value const& part) {
  return count_fields(kText, part);
}

int count_user_part(Value const& part) {
  return most_fields<kText, kImage, kInputAudio, kFile>(part);
}

int count_assistant_part(Value const& part) {
  return most_fields<kText, kRefusal>(part);
}

int count_any_part(Value const& part) {
  if (part.is_string()) return 0;
  int const plain_text = count_text_part(part);
  if (plain_text == 2) return plain_text;  // by far the most common; no other shape could recognise more in it
  return most_fields<kText, kImage, kInputAudio, kFile, kAudioUrl, kVideoUrl, kRefusal, kPilImage, kSimpleImage,
                     kImageEmbeds, kAudioEmbeds, kVideoEmbeds, kPromptEmbeds, kSimpleAudio, kSimpleVideo,
                     kToolReference, kThinking>(part);
}

}  // namespace kvgate::text
