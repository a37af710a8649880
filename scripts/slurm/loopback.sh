#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A cluster of one node on this machine's loopback, in a folder of its own, without systemd, for trials.
set -euo pipefail

if [ $# -ne 2 ] || [[ ! $1 =~ ^(start|stop)$ ]]; then
  cat <<'HELP'
Usage: ./scripts/slurm/loopback.sh start|stop DIR

Starts munged, slurmctld and slurmd of Debian's packages (slurm-wlm, munge), which listen on 127.0.0.1 only and keep all of
their files in DIR; or stops them. `export SLURM_CONF=DIR/slurm.conf` makes sbatch, squeue and the others speak to them.
The user who starts them is the one whose jobs they run. The node says that it has four processors, however many it has.

Exit: 0 done, 2 a daemon did not start, 3 usage, 77 Slurm or munge is not installed.
HELP
  [[ ${1:-} =~ ^(-h|--help)$ ]] && exit 0 || exit 3
fi

for program in munged slurmctld slurmd sbatch; do
  PATH=$PATH:/usr/sbin:/sbin command -v "$program" > /dev/null || { echo "loopback: $program is not installed" >&2; exit 77; }
done
export PATH=$PATH:/usr/sbin:/sbin
mkdir -p "$2"
dir=$(cd "$2" && pwd)

stop() {
  for name in slurmd slurmctld munged; do
    [ -s "$dir/$name.pid" ] && kill "$(cat "$dir/$name.pid")" 2>/dev/null || true
  done
}
if [ "$1" = stop ]; then stop; exit 0; fi

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
user=$(id -un)
host=$(hostname -s)
mkdir -p "$dir/state" "$dir/spool"
chmod 700 "$dir"
head -c 1024 /dev/urandom > "$dir/munge.key"
chmod 600 "$dir/munge.key"
cat > "$dir/slurm.conf" <<CONF
ClusterName=loopback
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$dir/munge.socket
CredType=cred/munge
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd.log
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=5,batch_sched_delay=0
MpiDefault=none
MailProg=/bin/true
ReturnToService=2
KillWait=2
MinJobAge=3600
NodeName=$host NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=night Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
echo "CgroupAutomount=no" > "$dir/cgroup.conf"
export SLURM_CONF=$dir/slurm.conf

munged --force --key-file="$dir/munge.key" --socket="$dir/munge.socket" --pid-file="$dir/munged.pid" \
  --log-file="$dir/munged.log" --seed-file="$dir/munge.seed" 2> "$dir/munged.err" || { cat "$dir/munged.err" >&2; exit 2; }
slurmctld -c -f "$dir/slurm.conf"
slurmd -c -f "$dir/slurm.conf"
for _ in $(seq 100); do
  if [ "$(sinfo --noheader --format=%T 2>/dev/null)" = idle ]; then
    echo "export SLURM_CONF=$dir/slurm.conf"
    exit 0
  fi
  sleep 0.3
done
echo "loopback: the node is not ready: $(tail -n 1 "$dir/slurmctld.log" "$dir/slurmd.log" | tr '\n' ' ')" >&2
stop
exit 2
