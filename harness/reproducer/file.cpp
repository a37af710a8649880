// Files of reproducers: read with a bound on size.
#include "harness/files/read.h"
#include "harness/files/whole_file.h"
#include "harness/reproducer.h"

namespace harness {

void write_reproducer(const std::string& file, const Reproducer& reproducer) {
  write_whole_file(file, to_string(reproducer));
}

std::string read_reproducer_text(const std::string& file) {
  // A run of 100'000 turns that nobody made smaller has some 50'000 decisions, a line for each.
  constexpr FileKind kReproducer{"reproducer", std::size_t{1} << 26};
  return read_whole_file(file, kReproducer);
}

Reproducer read_reproducer(const std::string& file, const Catalog& catalog) {
  return parse_reproducer(read_reproducer_text(file), file, catalog);
}

}  // namespace harness
