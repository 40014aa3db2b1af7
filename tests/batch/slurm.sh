#!/bin/bash
# A sweep as a job array on a real Slurm of this machine's own: munged, slurmctld and slurmd in a scratch folder, on free
# ports. What the shards join to must be the bytes of an undivided run, and the script of tools/batch/ must have done it.
#
#   slurm.sh PATH_OF_ORRERY SOURCE_FOLDER        77: it can't be tried here, and why
set -u

orrery=$(realpath "$1")
src=$(realpath "$2")
dir=$(mktemp -d /tmp/orrery-slurm-XXXXXX)
pids=()

stop_all() {
    local pid
    for pid in "${pids[@]+"${pids[@]}"}"; do kill "$pid" 2>/dev/null; done
    for pid in "${pids[@]+"${pids[@]}"}"; do
        for _ in {1..50}; do kill -0 "$pid" 2>/dev/null || break; sleep 0.1; done
        kill -9 "$pid" 2>/dev/null
        wait "$pid" 2>/dev/null
    done
    rm -rf "$dir"
}
trap stop_all EXIT

skip() {
    echo "skipped: $1"
    exit 77
}

fail() {
    echo "failed: $1"
    tail -n 20 "$dir"/*.log "$dir"/out/*.log "$dir"/out/shards/*.log 2>/dev/null
    exit 1
}

# ---- a Slurm of our own ----

PATH=$PATH:/usr/sbin:/sbin
for program in munged slurmctld slurmd sbatch squeue sinfo; do
    command -v "$program" >/dev/null || skip "there is no $program (Debian: slurm-wlm, munge)"
done

free_port() { # one that nobody listens on now
    local port
    for port in $(shuf -i 20000-32000 -n 50); do
        (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port"; return; }
    done
}

chmod 755 "$dir"
mkdir "$dir/state" "$dir/spool" "$dir/munge"
chmod 700 "$dir/munge"
head -c 1024 /dev/urandom >"$dir/munge/key"
chmod 600 "$dir/munge/key"
node=$(hostname -s)
user=$(id -un)
controller=$(free_port)
daemon=$(free_port)
[ -n "$controller" ] && [ -n "$daemon" ] && [ "$controller" != "$daemon" ] || skip "no free ports"
cat >"$dir/slurm.conf" <<END
ClusterName=orrery
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=$controller
SlurmdPort=$daemon
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$dir/munge/socket
CredType=cred/munge
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
NodeName=$node NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=all Nodes=$node Default=YES MaxTime=10 State=UP OverSubscribe=NO
END
echo "CgroupAutomount=no" >"$dir/cgroup.conf"
export SLURM_CONF=$dir/slurm.conf

munged --foreground --force --key-file="$dir/munge/key" --socket="$dir/munge/socket" --pid-file="$dir/munge/pid" \
    --log-file="$dir/munge/log" --seed-file="$dir/munge/seed" >"$dir/munged.log" 2>&1 &
pids=($!)
for _ in {1..50}; do [ -S "$dir/munge/socket" ] && break; sleep 0.1; done
[ -S "$dir/munge/socket" ] || skip "munged doesn't start: $(tail -n 1 "$dir/munged.log")"
slurmctld -D -i >"$dir/ctld.out.log" 2>&1 &
pids=($! "${pids[@]}")
slurmd -D -N "$node" -f "$dir/slurm.conf" >"$dir/d.out.log" 2>&1 &
pids=($! "${pids[@]}")
for _ in {1..150}; do
    [ "$(sinfo -h -o %t 2>/dev/null)" = idle ] && break
    sleep 0.1
done
[ "$(sinfo -h -o %t 2>/dev/null)" = idle ] ||
    skip "slurm doesn't start here: $(tail -qn 1 "$dir/slurmctld.log" "$dir/slurmd.log" 2>/dev/null | tr '\n' ' ')"

# ---- the sweep ----

cd "$dir" || exit 1
cat >plan.yaml <<END
schema: orrery.sweep/1
base: {trace: $src/traces/tiny.csv, cluster: "nodes=1,gpus=4"}
grid: {policy: [fifo, srtf, las], scale-load: [1, 2], seed: 1..3}
baseline: {policy: fifo}
metrics: [jct.mean, gpu_alloc]
END
"$orrery" sweep plan.yaml -o undivided >/dev/null || fail "the undivided run"
ORRERY=$orrery "$src/tools/batch/slurm-sweep.sh" "$dir/plan.yaml" "$dir/out" 5 --cpus-per-task=1 >ids || fail "submission"
for _ in {1..600}; do
    [ -z "$(squeue -h 2>/dev/null)" ] && break
    sleep 0.1
done
[ -z "$(squeue -h)" ] || fail "jobs $(cat ids) are still there: $(squeue -h)"
[ "$(ls -d out/shards/*-of-5 | wc -l)" = 5 ] || fail "not every task made its shard"
diff -r undivided out/whole || fail "joined, the shards differ from the undivided run"
echo "array and merge (jobs $(cat ids)): the same bytes as undivided"

# Submitted again nothing is run twice: the tasks find their cells.
ORRERY=$orrery "$src/tools/batch/slurm-sweep.sh" "$dir/plan.yaml" "$dir/out" 5 --cpus-per-task=1 >ids || fail "submission"
for _ in {1..600}; do
    [ -z "$(squeue -h 2>/dev/null)" ] && break
    sleep 0.1
done
[ "$(grep -c 'cells were finished already' out/shards/*.log | grep -c ':1$')" = 5 ] || fail "tasks didn't find their cells"
diff -r undivided out/whole || fail "the second time the shards differ"
echo "submitted again: nothing was run twice"
