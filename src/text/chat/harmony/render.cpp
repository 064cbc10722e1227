#include "text/chat/harmony/render.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "text/spec/load.hpp"

namespace kvgate::text::harmony {
namespace {

constexpr std::array<std::pair<std::string_view, std::uint32_t Marks::*>, 5> kMarks{{{"<|start|>", &Marks::start},
                                                                                     {"<|end|>", &Marks::end},
                                                                                     {"<|message|>", &Marks::message},
                                                                                     {"<|channel|>", &Marks::channel},
                                                                                     {"<|call|>", &Marks::call}}};

/// Writes messages to a sink, which has mark(std::uint32_t Marks::*) and text(std::string_view).
template <class Sink>
void write_message(Message const& message, Sink& sink) {
  sink.mark(&Marks::start);
  // A call names whom it is for before the channel, everything else behind it: so the engine writes them.
  sink.text(message.calls ? message.author + " to=" + message.recipient : message.author);
  if (!message.channel.empty()) {
    std::string header(message.channel);
    if (!message.calls && !message.recipient.empty()) header.append(" to=").append(message.recipient);
    if (!message.content_type.empty()) header.append(" ").append(message.content_type);
    sink.mark(&Marks::channel);
    sink.text(header);
  }
  sink.mark(&Marks::message);
  for (std::string_view text : message.texts) sink.text(text);
  sink.mark(message.calls ? &Marks::call : &Marks::end);
}

template <class Sink>
void write_all(std::span<Message const> messages, Sink& sink) {
  for (Message const& message : messages) write_message(message, sink);
  sink.mark(&Marks::start);
  sink.text("assistant");
}

class IdSink {
 public:
  IdSink(Encoding const& encoding, TokenizerScratch& scratch) : encoding_(encoding), scratch_(scratch) {}

  void mark(std::uint32_t Marks::*which) { ids_.push_back(encoding_.marks.*which); }

  void text(std::string_view text) {
    if (failed_ || text.empty()) return;
    auto const encoded = encoding_.plain->encode(text, {.add_special_tokens = false}, scratch_, piece_);
    if (!encoded) {
      failed_ = encoded.error();
      return;
    }
    ids_.insert(ids_.end(), piece_.begin(), piece_.end());
  }

  Result<std::vector<std::uint32_t>> take() {
    if (failed_) return *failed_;
    return std::move(ids_);
  }

 private:
  Encoding const& encoding_;
  TokenizerScratch& scratch_;
  std::vector<std::uint32_t> ids_;
  std::vector<std::uint32_t> piece_;
  std::optional<Error> failed_;
};

class TextSink {
 public:
  void mark(std::uint32_t Marks::*which) {
    out += std::ranges::find(kMarks, which, &decltype(kMarks)::value_type::second)->first;
  }
  void text(std::string_view text) { out += text; }

  std::string out;
};

/// The ids of the marks: each must be one token.
Result<Marks> find_marks(Tokenizer const& tokenizer) {
  TokenizerScratch scratch;
  std::vector<std::uint32_t> ids;
  Marks marks;
  for (auto const& [name, which] : kMarks) {
    auto const encoded = tokenizer.encode(name, {.add_special_tokens = false}, scratch, ids);
    if (!encoded || ids.size() != 1) return Error(ErrorKind::bad_request, "no token " + std::string(name));
    marks.*which = ids.front();
  }
  return marks;
}

}  // namespace

Result<Encoding> load_encoding(std::filesystem::path const& folder, Tokenizer const& tokenizer) {
  auto const marks = find_marks(tokenizer);
  if (!marks) return marks.error();
  auto spec = load_tokenizer_spec(folder);
  if (!spec) return spec.error();
  spec->added_tokens.clear();
  auto plain = Tokenizer::make(std::move(*spec));
  if (!plain) return plain.error();
  return Encoding{std::move(*plain), *marks};
}

Result<std::vector<std::uint32_t>> render_ids(std::span<Message const> messages, Encoding const& encoding,
                                              TokenizerScratch& scratch) {
  IdSink sink(encoding, scratch);
  write_all(messages, sink);
  return sink.take();
}

std::string render_text(std::span<Message const> messages) {
  TextSink sink;
  write_all(messages, sink);
  return std::move(sink.out);
}

}  // namespace kvgate::text::harmony
