// Messages in OpenAI's Harmony format, which gpt-oss is prompted with.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/chat/typed_dict.hpp"

namespace kvgate::text::harmony {

/// A message whose content is known: what the model sees is its header and these texts. Texts refer to the request.
struct Message {
  std::string author;  ///< role, or the name of a tool
  std::string_view channel;
  std::string recipient;
  std::string_view content_type;
  std::vector<std::string_view> texts;  ///< each is tokenised alone
  bool calls = false;                   ///< ends with <|call|>
};

}  // namespace kvgate::text::harmony
