#!/bin/bash
# A sweep as a Slurm job array: one task a shard, then a job that joins them.
#
#   tools/batch/slurm-sweep.sh PLAN.yaml FOLDER SHARDS [OPTIONS OF SBATCH...]
#   tools/batch/slurm-sweep.sh plans/loads.yaml out 16 --cpus-per-task=8 --time=2:00:00 --partition=cpu
#
# FOLDER must be seen by all nodes. It gets shards/I-of-N, a log of each task, and whole/: what one run of the plan on one
# machine would have written, to the byte. A task that was killed, requeued, or submitted again by the same command goes on
# where it was. ORRERY names the program if it isn't on the PATH. Prints the ids of the two jobs.
set -eu

orrery=${ORRERY:-orrery}

shard() { # PLAN FOLDER SHARDS: in a task of the array
    local i=$SLURM_ARRAY_TASK_ID
    exec "$orrery" sweep "$1" --shard "$i/$3" -o "$2/shards/$i-of-$3" -j "${SLURM_CPUS_PER_TASK:-1}" -v
}

merge() { # FOLDER SHARDS: when all tasks have ended, well or not; what is missing is named in the log
    local dirs=() i
    for ((i = 1; i <= $2; i++)); do dirs+=("$1/shards/$i-of-$2"); done
    exec "$orrery" sweep --merge "${dirs[@]}" -o "$1/whole"
}

submit() { # PLAN FOLDER SHARDS [OPTIONS...]
    local plan=$1 folder=$2 shards=$3 array joined
    shift 3
    mkdir -p "$folder/shards"
    array=$(sbatch --parsable --job-name=orrery-sweep --array="1-$shards" --requeue --open-mode=append \
        --output="$folder/shards/%a.log" "$@" "$0" --as-shard "$plan" "$folder" "$shards")
    joined=$(sbatch --parsable --job-name=orrery-merge --dependency="afterany:${array%%;*}" \
        --output="$folder/merge.log" "$0" --as-merge "$folder" "$shards")
    echo "${array%%;*} ${joined%%;*}"
}

case ${1:-} in
--as-shard) shard "$2" "$3" "$4" ;;
--as-merge) merge "$2" "$3" ;;
*)
    if [ $# -lt 3 ]; then
        sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
        exit 64
    fi
    submit "$@"
    ;;
esac
