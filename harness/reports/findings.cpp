#include "harness/reports/findings.h"

#include <algorithm>

namespace harness::reports {

std::vector<std::string> VariantRow::signatures() const {
  std::vector<std::string> distinct;
  for (const FindingRow& finding : findings)
    if (std::find(distinct.begin(), distinct.end(), finding.signature) == distinct.end())
      distinct.push_back(finding.signature);
  return distinct;
}

}  // namespace harness::reports
