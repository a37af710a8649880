// SPDX-License-Identifier: Apache-2.0
// How it works. A file has a size, so PTX texts in it certainly belong to it. An image in memory
// has no documented size: there cuobjdump is tried first, which knows where a fatbin ends.
#include "harness/client/inside/libcuda/ptx.h"

#include <atomic>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/printable.h"
#include "harness/device_code/ptx/fatbin.h"
#include "harness/device_code/ptx/image.h"

namespace harness::entries {
namespace {

constexpr unsigned kCapability = 80;  ///< According to attributes.def of the simulated device.
constexpr std::size_t kWordsLimit = 1000;

CUresult error_of(ptx::Refused::Why why) {
  switch (why) {
    case ptx::Refused::Why::malformed:
      return CUDA_ERROR_INVALID_PTX;
    case ptx::Refused::Why::too_large:
      return CUDA_ERROR_OUT_OF_MEMORY;
    case ptx::Refused::Why::no_compiler:
      return CUDA_ERROR_JIT_COMPILER_NOT_FOUND;
    default:
      return CUDA_ERROR_INVALID_PTX;
  }
}

/// Prints the reason on stderr, too.
devices::ImageFound refuse(const std::string& why, CUresult error = CUDA_ERROR_NO_BINARY_FOR_GPU) {
  std::fprintf(stderr, "afterlife: a module %s\n", why.c_str());
  return {nullptr, error, "error   : a module " + why};
}

devices::ImageFound load_text(const std::string& text) {
  try {
    return {ptx::load(text), CUDA_SUCCESS};
  } catch (const ptx::Refused& refused) {
    return refuse("in PTX is refused: " + shown(refused.words, kWordsLimit), error_of(refused.why));
  }
}

/// A text in a cubin of another tool may lack the terminating zero: bytes after it are ignored.
devices::ImageFound load_text_in_memory(const void* image) {
  const std::string text = ptx::readable_text(image);
  try {
    return {ptx::load(text), CUDA_SUCCESS};
  } catch (const ptx::Refused& refused) {
    const std::string_view whole = ptx::without_rest(text);
    if (refused.why != ptx::Refused::Why::malformed || whole.size() == text.size())
      return load_text(text);
    std::fputs("afterlife: PTX without a zero at its end: the memory after it is ignored\n",
               stderr);
    return load_text(std::string(whole));
  }
}

/// The PTX texts of an image, and the best one for this device.
class Texts {
 public:
  /// Searches for texts in the bytes.
  void look(const std::string& bytes) { all_ = ptx::texts_in(bytes); }
  /// Extracts the texts of the bytes with cuobjdump.
  void ask(const std::string& bytes) {
    try {
      extracted_ = ptx::extracted_texts(bytes);
    } catch (const ptx::Refused& refused) {
      std::fprintf(stderr, "afterlife: %s\n", refused.words.c_str());
    }
    all_.assign(extracted_.begin(), extracted_.end());
  }

  bool empty() const { return all_.empty(); }
  /// Returns the text for this device, or "".
  std::string best() const {
    const int best = ptx::best_text(all_, kCapability);
    return best >= 0 ? std::string(all_[static_cast<std::size_t>(best)]) : "";
  }

 private:
  std::vector<std::string> extracted_;
  std::vector<std::string_view> all_;
};

devices::ImageFound load_best(const Texts& texts) {
  if (const std::string text = texts.best(); !text.empty()) return load_text(text);
  if (!texts.empty())
    return refuse("has PTX for newer devices only: needs PTX for compute capability 8.0");
  return refuse(
      ptx::can_extract()
          ? "is not PTX, and cuobjdump finds none in it: needs PTX, such as from nvcc -ptx"
          : "is not PTX, and contains no readable PTX: needs PTX, such as from nvcc -ptx or "
            "-fatbin --no-compress, or cuobjdump to extract it (pip install "
            "nvidia-cuda-cuobjdump)");
}

/// Prints the assumption, once.
void tell_taken() {
  static std::atomic<bool> is_told{false};
  if (is_told.exchange(true)) return;
  std::fputs(
      "afterlife: note: kernels are found by their PTX in memory, since cuobjdump is missing; if "
      "one "
      "computes wrong values: pip install nvidia-cuda-cuobjdump\n",
      stderr);
}

devices::ImageFound load_fatbin(const std::string& file) {
  Texts texts;
  texts.look(file);
  if (texts.empty()) texts.ask(file);
  return load_best(texts);
}

/// Finds the texts of an image in memory. They refer to `bytes`.
void find_in_memory(const std::string& bytes, Texts& texts) {
  if (ptx::can_extract()) {
    texts.ask(bytes);
  } else {
    texts.look(bytes);
    if (!texts.empty()) tell_taken();
  }
}

devices::ImageFound load_fatbin(const void* image) {
  const std::string bytes = ptx::readable_bytes(image);
  Texts texts;
  find_in_memory(bytes, texts);
  return load_best(texts);
}

/// Loads a file, or an image at an address. A cubin is an ELF file without PTX.
template <class Image>
devices::ImageFound load_any(const Image& image, const void* begin,
                             devices::ImageFound (*load_as_text)(const void*)) {
  const ptx::Form form = ptx::form_of(begin);
  if (form == ptx::Form::text) return {nullptr, CUDA_ERROR_INVALID_IMAGE};
  if (form == ptx::Form::ptx) return load_as_text(begin);
  const auto* bytes = static_cast<const unsigned char*>(begin);
  return bytes[0] == 0x7f ? refuse("is a cubin: needs PTX, such as from nvcc -ptx")
                          : load_fatbin(image);
}

}  // namespace

std::string text_of_fatbin(const void* image) {
  const std::string bytes = ptx::readable_bytes(image);
  Texts texts;
  find_in_memory(bytes, texts);
  return texts.best();
}

devices::ImageFound load_ptx(const void* image) {
  return load_any(image, image, load_text_in_memory);
}

devices::ImageFound load_ptx(const std::string& file) {
  return load_any(file, file.c_str(),
                  [](const void* text) { return load_text(static_cast<const char*>(text)); });
}

}  // namespace harness::entries
