#include "text/tokenizer/tokenizer.hpp"

#include <simdjson.h>

#include <algorithm>

#include "text/bpe/segment_encoder.hpp"
#include "text/spec/load.hpp"
#include "text/tokenizer/added_tokens.hpp"
#include "text/tokenizer/bert_encoder.hpp"
#include "text/tokenizer/model.hpp"
#include "text/tokenizer/normalizer.hpp"
#include "text/tokenizer/pre_tokenizer.hpp"

namespace kvgate::text {
namespace {

/// Normalizing may make a text several times as long, and places in it are 32 bits.
constexpr std::size_t kMostBytes = std::size_t{256} << 20;

/// What a longer text needed is given back behind it.
constexpr std::size_t kKeptBytes = std::size_t{1} << 20;

std::uint64_t next_serial() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

bool asks_origin(std::vector<PreTokenizerSpec> const& specs) {
  return std::any_of(specs.begin(), specs.end(), [](PreTokenizerSpec const& spec) {
    auto const* const metaspace = std::get_if<MetaspacePreTokenizer>(&spec);
    return metaspace && metaspace->scheme == PrependScheme::first;
  });
}

Error unusable(char const* problem) {
  return Error(ErrorKind::bad_request, problem);
}

}  // namespace

struct TokenizerScratch::State {
  std::uint64_t tokenizer = 0;  ///< whose `model` is
  std::unique_ptr<ModelScratch> model;
  std::unique_ptr<bpe::Scratch> fast;  ///< made when first needed
  NormalizeScratch normalize;
  SplitScratch split;
  std::vector<Piece> pieces, raw, parts;
  std::string word;
  std::vector<std::uint32_t> origins;
};

TokenizerScratch::TokenizerScratch() : state_(std::make_unique<State>()) {}
TokenizerScratch::~TokenizerScratch() = default;
TokenizerScratch::TokenizerScratch(TokenizerScratch&&) noexcept = default;
TokenizerScratch& TokenizerScratch::operator=(TokenizerScratch&&) noexcept = default;

struct Tokenizer::Parts {
  using State = TokenizerScratch::State;
  using Ids = std::vector<std::uint32_t>;

  std::uint64_t serial = next_serial();
  AddedTokens added;
  NormalizerChain normalizers;
  PreTokenizerChain pre_tokenizers;
  std::unique_ptr<Model const> model;
  std::unique_ptr<bpe::SegmentEncoder const> fast;  ///< instead of pre-tokenizers and model
  std::unique_ptr<BertEncoder const> bert;          ///< for what is simple, before the general way
  bool raw = false;                                 ///< `fast` or `bert` normalizes
  std::vector<PostPiece> post;
  bool tracked = false;  ///< origins have to be kept

  Result<void> build(TokenizerSpec&& spec, TokenizerOptions options);
  Result<void> build_added(TokenizerSpec const& spec);
  void build_fast(TokenizerSpec& spec);
  Result<void> build_general(TokenizerSpec&& spec, TokenizerOptions options);
  Result<void> encode_framed(std::string_view text, EncodeOptions options, State& state, Ids& out) const;
  Result<void> encode(Piece const& whole, State& state, Ids& out) const;
  Result<void> cut(Piece const& whole, State& state) const;
  Result<void> encode_piece(Piece const& piece, State& state, Ids& out) const;
  Result<void> encode_generally(Piece const& piece, State& state, Ids& out) const;
  Piece start(std::string_view text, bool continues, State& state) const;
  void prepare(State& state) const;
};

Result<void> Tokenizer::Parts::build(TokenizerSpec&& spec, TokenizerOptions options) {
  auto chain = NormalizerChain::make(spec.normalizers);
  if (chain.has_error()) return chain.error();
  normalizers = std::move(*chain);
  if (auto const built = build_added(spec); built.has_error()) return built.error();
  post = std::move(spec.post);
  tracked = asks_origin(spec.pre_tokenizers) && !normalizers.empty();
  if (!options.general_only) build_fast(spec);
  return fast ? Result<void>() : build_general(std::move(spec), options);
}

Result<void> Tokenizer::Parts::build_added(TokenizerSpec const& spec) {
  auto const normalized = [&](std::string_view content) -> Result<std::string> {
    RewriteSpace space;
    NormalizeScratch scratch;
    Piece const piece = normalizers.apply({.text = content}, space, scratch);
    if (scratch.problem) return unusable(scratch.problem);
    return std::string(piece.text);
  };
  auto tokens = AddedTokens::make(spec.added_tokens, spec.model, normalized);
  if (tokens.has_error()) return tokens.error();
  added = std::move(*tokens);
  return {};
}

void Tokenizer::Parts::build_fast(TokenizerSpec& spec) {
  // Where added tokens are looked for in normalized text, normalizing has to come before that, and only once.
  std::vector<NormalizerSpec> kept;
  if (added.looks_at_normalized()) kept.swap(spec.normalizers);
  fast = bpe::make_fast_encoder(spec);
  if (added.looks_at_normalized()) kept.swap(spec.normalizers);
  raw = fast && fast->normalizes() && !added.looks_at_normalized();
}

Result<void> Tokenizer::Parts::build_general(TokenizerSpec&& spec, TokenizerOptions options) {
  auto steps = PreTokenizerChain::make(spec.pre_tokenizers);
  if (steps.has_error()) return steps.error();
  pre_tokenizers = std::move(*steps);
  tracked |= pre_tokenizers.needs_origins();
  raw = !options.general_only && !added.looks_at_normalized() && BertEncoder::fits(spec);
  if (raw) {
    auto word_piece = std::make_unique<WordPieceModel const>(spec.model);
    bert = std::make_unique<BertEncoder const>(spec, *word_piece);
    model = std::move(word_piece);
  } else {
    model = make_model(std::move(spec.model));
  }
  return {};
}

void Tokenizer::Parts::prepare(State& state) const {
  if (fast && !state.fast) state.fast = std::make_unique<bpe::Scratch>();
  if (model && state.tokenizer != serial) state.model = model->make_scratch();
  state.tokenizer = serial;
  state.split.space.reset();
  state.split.space.tracked = tracked;
  state.normalize.problem = nullptr;
  state.split.problem = kTooHard;
  state.pieces.clear();
  state.raw.clear();
}

/// What continues another text does not begin at its beginning, which is all that anybody asks.
Piece Tokenizer::Parts::start(std::string_view text, bool continues, State& state) const {
  Piece whole{.text = text, .shift = continues ? 1u : 0u};
  if (!tracked) return whole;
  state.origins.clear();
  for (std::size_t at = 0; at < text.size();) {
    std::size_t const length = sequence_length(text[at]);
    state.origins.insert(state.origins.end(), length, static_cast<std::uint32_t>(at) + whole.shift);
    at += length;
  }
  whole.origins = state.origins.data();
  return whole;
}

/// Into added tokens and normalized text.
Result<void> Tokenizer::Parts::cut(Piece const& whole, State& state) const {
  if (!added.split_raw(whole, state.raw)) return Error(ErrorKind::bad_request, "added tokens overlap in the text");
  for (Piece const& piece : state.raw) {
    if (piece.is_token() || raw) {
      state.pieces.push_back(piece);
      continue;
    }
    Piece const normalized = normalizers.apply(piece, state.split.space, state.normalize);
    if (state.normalize.problem) return unusable(state.normalize.problem);
    if (normalized.text.empty()) continue;
    if (!added.split_normalized(normalized, state.pieces)) {
      return Error(ErrorKind::bad_request, "added tokens overlap in the text");
    }
  }
  return {};
}

/// The text with what the post-processor puts around it.
Result<void> Tokenizer::Parts::encode_framed(std::string_view text, EncodeOptions options, State& state,
                                             Ids& out) const {
  prepare(state);
  std::size_t begin = 0, end = 0;  // of the text's own ids in `out`
  for (PostPiece const& piece : post) {
    if (!piece.is_sequence) {
      if (options.add_special_tokens) out.insert(out.end(), piece.ids.begin(), piece.ids.end());
    } else if (begin == end) {
      begin = out.size();
      if (auto const done = encode(start(text, options.continues, state), state, out); done.has_error()) return done;
      end = out.size();
    } else {
      out.reserve(out.size() + end - begin);
      std::copy_n(out.begin() + static_cast<std::ptrdiff_t>(begin), end - begin, std::back_inserter(out));
    }
  }
  return {};
}

Result<void> Tokenizer::Parts::encode(Piece const& whole, State& state, Ids& out) const {
  if (auto const done = cut(whole, state); done.has_error()) return done.error();
  for (Piece const& piece : state.pieces) {
    if (auto const done = encode_piece(piece, state, out); done.has_error()) return done.error();
  }
  return {};
}

Result<void> Tokenizer::Parts::encode_piece(Piece const& piece, State& state, Ids& out) const {
  if (piece.is_token()) {
    out.push_back(piece.token);
    return {};
  }
  if (fast) {
    fast->encode({piece.text, piece.shift == 0}, *state.fast, out);
    return {};
  }
  if (!bert) return encode_generally(piece, state, out);
  std::size_t const before = out.size();
  if (bert->encode(piece.text, state.word, out)) return {};
  out.resize(before);
  Piece const normalized = normalizers.apply(piece, state.split.space, state.normalize);
  return normalized.text.empty() ? Result<void>() : encode_generally(normalized, state, out);
}

/// A piece of normalized text that is not empty.
Result<void> Tokenizer::Parts::encode_generally(Piece const& piece, State& state, Ids& out) const {
  state.parts.assign(1, piece);
  if (!pre_tokenizers.apply(state.parts, state.split)) return unusable(state.split.problem);
  for (Piece const& part : state.parts) {
    if (!model->encode(part.text, *state.model, out)) {
      return unusable("the text has what the tokenizer does not know, and no token for that");
    }
  }
  return {};
}

Tokenizer::Tokenizer(std::unique_ptr<Parts const> parts) noexcept : parts_(std::move(parts)) {}
Tokenizer::~Tokenizer() = default;

Result<std::shared_ptr<Tokenizer const>> Tokenizer::load(std::filesystem::path const& path, TokenizerOptions options) {
  auto spec = load_tokenizer_spec(path);
  if (spec.has_error()) return spec.error();
  auto made = make(std::move(*spec), options);
  if (made.has_error()) return Error(ErrorKind::bad_request, path.string() + ": " + made.error().message);
  return made;
}

Result<std::shared_ptr<Tokenizer const>> Tokenizer::make(TokenizerSpec spec, TokenizerOptions options) {
  auto parts = std::make_unique<Parts>();
  if (auto const built = parts->build(std::move(spec), options); built.has_error()) return built.error();
  return std::shared_ptr<Tokenizer const>(new Tokenizer(std::move(parts)));
}

Result<void> Tokenizer::encode(std::string_view utf8, EncodeOptions options, TokenizerScratch& scratch,
                               std::vector<std::uint32_t>& out) const {
  out.clear();
  if (utf8.size() > kMostBytes) return unusable("the text is over 256 MiB");
  if (!simdjson::validate_utf8(utf8.data(), utf8.size())) return unusable("the text is not UTF-8");
  auto const done = parts_->encode_framed(utf8, options, *scratch.state_, out);
  if (utf8.size() > kKeptBytes) scratch = TokenizerScratch();
  return done;
}

std::vector<std::string_view> Tokenizer::cut_tokens() const {
  std::vector<std::string_view> contents;
  for (auto const* token : parts_->added.exact_cuts()) contents.push_back(token->content);
  return contents;
}

std::size_t Tokenizer::memory() const noexcept {
  return parts_->model->memory();
}

}  // namespace kvgate::text
