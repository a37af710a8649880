// Reader: looks at what the path keeps as a script would, and compares it with the model.
#pragma once

#include "scenarios/managed_dict/model.h"

namespace scenarios::managed_dict {

/// Ownership: the script's. Borrows the scene, the model and the path.
class Reader {
 public:
  Reader(harness::Scene& scene, Model& model) : scene_(scene), model_(model) {}

  /// The variable, as vars() and type() tell. `asked`: others ask for dicts as well.
  void read_instance(targets::managed_dict::ManagedDict& path, Variable variable, bool asked);
  /// What vars() returned last.
  void read_held(targets::managed_dict::ManagedDict& path, bool asked);
  /// An instance was made: keys that are shared leave less and less room to spare.
  void made_room(std::uint32_t type, std::uint32_t named, std::uint32_t room);

 private:
  bool is_room_little() const;
  void compare(const targets::managed_dict::View& view, Contents& contents);

  harness::Scene& scene_;
  Model& model_;
  std::int64_t newest_ = 0;  ///< Number that was ever seen.
  std::array<std::uint32_t, 2 * targets::managed_dict::kClassCountOfPath> rooms_{};
};

}  // namespace scenarios::managed_dict
