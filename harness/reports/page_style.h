// Page style: the style sheet of a page, its colours those of the palette.
#pragma once

#include <string>

namespace harness::reports {

std::string page_style();

}  // namespace harness::reports
