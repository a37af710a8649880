#include "harness/verdict.h"

namespace harness {

Verdict judge(const Claim& claim, const Tally& tally) {
  if (tally.faulty_runs > 0)
    return claim.kind == ClaimKind::unsound ? Verdict::caught : Verdict::refuted;
  if (tally.runs == tally.vacuous_runs) return Verdict::vacuous;
  return claim.kind == ClaimKind::unsound ? Verdict::missed : Verdict::held;
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
  }
  return "?";
}

}  // namespace harness
