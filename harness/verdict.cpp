#include "harness/verdict.h"

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
    if (claim.hazards[i] == window) part.hazards = claim.hazards.subspan(i, 1);
  if (claim.kind == ClaimKind::unsound && part.hazards.empty()) part.kind = ClaimKind::sound;
  return part;
}

bool names(const Claim& claim, Label hazard) {
  return std::find(claim.hazards.begin(), claim.hazards.end(), hazard) != claim.hazards.end();
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

}  // namespace harness
