// SPDX-License-Identifier: Apache-2.0
#include "harness/run/verdict.h"

#include <algorithm>

namespace harness {

namespace {

std::uint64_t sum(std::span<const Tally> configs, std::uint64_t Tally::* count) {
  std::uint64_t total = 0;
  for (const Tally& config : configs) total += config.*count;
  return total;
}

}  // namespace

Verdict judge(const Claim& claim, std::span<const Tally> configs) {
  const bool exercised = sum(configs, &Tally::runs) > sum(configs, &Tally::vacuous_runs);
  const bool refuted = claim.kind == ClaimKind::vacuous && exercised;
  if (sum(configs, &Tally::faulty_runs) > 0 || refuted)
    return claim.kind == ClaimKind::unsound ? Verdict::caught : Verdict::refuted;
  if (!exercised && least_runs({ClaimKind::vacuous, {}}, configs) >= kEnoughRuns)
    return Verdict::vacuous;
  if (least_runs(claim, configs) < kEnoughRuns) return Verdict::too_few_runs;
  return claim.kind == ClaimKind::unsound ? Verdict::missed : Verdict::held;
}

Verdict judge(const Claim& claim, const Tally& tally) { return judge(claim, {&tally, 1}); }

std::uint64_t least_runs(const Claim& claim, std::span<const Tally> configs) {
  std::uint64_t least = configs.empty() ? 0 : ~std::uint64_t{0};
  for (const Tally& config : configs)
    least =
        std::min(least, claim.kind == ClaimKind::vacuous ? config.runs : exercised_runs(config));
  return least;
}

Claim claim_in(const Claim& claim, Label window) {
  Claim part = claim;
  part.hazards = {};
  for (std::size_t i = 0; i < claim.hazards.size(); ++i)
    if (is_word_for(claim.hazards[i], window)) part.hazards = claim.hazards.subspan(i, 1);
  if (claim.kind == ClaimKind::unsound && part.hazards.empty()) part.kind = ClaimKind::sound;
  return part;
}

bool is_word_for(Label word, Label hazard) {
  const std::string_view text = word.view();
  return text.substr(0, text.find('/')) == hazard.view();
}

bool names(const Claim& claim, Label hazard) {
  return std::any_of(claim.hazards.begin(), claim.hazards.end(),
                     [&](Label word) { return is_word_for(word, hazard); });
}

bool names(const Claim& claim, Label hazard, Label way) {
  return std::any_of(claim.hazards.begin(), claim.hazards.end(), [&](Label word) {
    const std::string_view text = word.view();
    const std::size_t slash = text.find('/');
    return is_word_for(word, hazard) &&
           (slash == text.npos || text.substr(slash + 1) == way.view());
  });
}

Standing stand(bool claimed, const Arrivals& arrivals, bool callers) {
  if (claimed && arrivals.caught > 0) return Standing::open;
  if (arrivals.first > 0) return Standing::outside;
  if (arrivals.caught > 0) return Standing::follows;
  const bool all_refused = arrivals.refused > 0 && arrivals.refused >= arrivals.reached;
  if (all_refused && !claimed) return Standing::refused;
  if (callers && !claimed) return Standing::contract;
  if (arrivals.reached == 0) return Standing::never_reached;
  if (arrivals.reached < kEnoughArrivals) return Standing::too_few_runs;
  return claimed ? Standing::missed : Standing::closed;
}

bool as_claimed(const Claim& claim, Verdict verdict) {
  switch (claim.kind) {
    case ClaimKind::sound:
      return verdict == Verdict::held;
    case ClaimKind::unsound:
      return verdict == Verdict::caught;
    case ClaimKind::vacuous:
      return verdict == Verdict::vacuous;
  }
  return false;
}

Label to_label(ClaimKind kind) {
  switch (kind) {
    case ClaimKind::sound:
      return "sound";
    case ClaimKind::unsound:
      return "unsound";
    case ClaimKind::vacuous:
      return "vacuous";
  }
  return "?";
}

Label to_label(Verdict verdict) {
  switch (verdict) {
    case Verdict::caught:
      return "caught";
    case Verdict::missed:
      return "missed";
    case Verdict::held:
      return "held";
    case Verdict::refuted:
      return "refuted";
    case Verdict::vacuous:
      return "vacuous";
    case Verdict::too_few_runs:
      return "too few runs";
  }
  return "?";
}

Label to_label(Standing standing) {
  switch (standing) {
    case Standing::open:
      return "open";
    case Standing::closed:
      return "closed";
    case Standing::refused:
      return "refused";
    case Standing::contract:
      return "contract";
    case Standing::too_few_runs:
      return "too few runs";
    case Standing::never_reached:
      return "never reached";
    case Standing::follows:
      return "follows";
    case Standing::missed:
      return "missed";
    case Standing::outside:
      return "outside the claim";
  }
  return "?";
}

}  // namespace harness
