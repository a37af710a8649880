#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A night on a Slurm cluster: an array of shards, and a job that merges them when all have ended, well or not.
set -euo pipefail

if [ $# -lt 1 ] || [ "$1" = --help ] || [ "$1" = -h ]; then
  cat <<'HELP'
Usage: ./scripts/slurm/night.sh SHARDS [--programs FILE] [--shared DIR] [--array TEXT] [--merge TEXT] [nightly option...] [-- merge option...]

  SHARDS            how many elements the job array has
  --history DIR     where nights are remembered, on a disk of the node that merges (results/nightly)
  --programs FILE   a list of programs to search in place of the paths, at the same place on every node
  --shared DIR      a folder that all nodes see, for the plan and the shards (that of the history)
  --array TEXT      further options for sbatch of the array, such as '--time=4:00:00 --partition=night'
  --merge TEXT      further options for sbatch of the merge, such as '--nodelist=disk1'

What follows goes to `afterlife nightly plan` (--hours, --runs, --seed, --only, --revision), and what follows `--` to
`afterlife nightly merge` (--notify, --junit, ...). AFTERLIFE is the program (build/release/afterlife of this tree), at
the same place on every node. Prints the numbers of the two jobs. The job that merges fails (exit code 1) where the night is red.

Example:
  ./scripts/slurm/night.sh 64 --hours 4 --shared /scratch/night --array '--time=1:00:00'

Exit: 0 submitted, 2 the plan or sbatch failed, 3 usage.
HELP
  [ $# -ge 1 ] && exit 0 || exit 3
fi

root=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
here=$root/scripts/slurm
export AFTERLIFE=${AFTERLIFE:-$root/build/release/afterlife}
count=$1
shift
[[ $count =~ ^[1-9][0-9]*$ ]] || { echo "night: '$count' is not a number of shards; see --help" >&2; exit 3; }

export AFTERLIFE_HISTORY=$root/results/nightly
shared= array= merge=
plan=()
while [ $# -gt 0 ]; do
  case $1 in
    --) shift; break ;;
    --history|--programs|--shared|--array|--merge)
      [ $# -ge 2 ] || { echo "night: $1 needs a value; see --help" >&2; exit 3; }
      case $1 in
        --history) AFTERLIFE_HISTORY=$(realpath -m "$2") ;;
        --programs) export AFTERLIFE_PROGRAMS; AFTERLIFE_PROGRAMS=$(realpath -m "$2") ;;
        --shared) shared=$(realpath -m "$2") ;;
        --array) array=$2 ;;
        --merge) merge=$2 ;;
      esac
      shift 2 ;;
    *) plan+=("$1"); shift ;;
  esac
done

"$AFTERLIFE" nightly plan "$count" --history "$AFTERLIFE_HISTORY" \
  ${AFTERLIFE_PROGRAMS:+--programs "$AFTERLIFE_PROGRAMS"} "${plan[@]}" > /dev/null || exit $(($? == 3 ? 3 : 2))
export AFTERLIFE_NIGHT=${shared:-$AFTERLIFE_HISTORY}
mkdir -p "$AFTERLIFE_NIGHT/night"
[ "$AFTERLIFE_NIGHT" -ef "$AFTERLIFE_HISTORY" ] || cp "$AFTERLIFE_HISTORY/night/plan.json" "$AFTERLIFE_NIGHT/night/"
mkdir -p "$AFTERLIFE_NIGHT/logs"

# shellcheck disable=SC2086  # The two texts are options, a word each.
shards=$(sbatch --parsable --job-name=afterlife --array="1-$count" --requeue --open-mode=append --signal=B:TERM@60 \
  --output="$AFTERLIFE_NIGHT/logs/shard-%a.txt" $array "$here/shard.sh") || exit 2
# shellcheck disable=SC2086
merged=$(sbatch --parsable --job-name=afterlife-merge --dependency="afterany:$shards" --requeue --open-mode=append \
  --output="$AFTERLIFE_NIGHT/logs/merge.txt" $merge "$here/merge.sh" "$@") || exit 2
echo "$shards $merged"
