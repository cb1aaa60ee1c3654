#!/bin/bash
#SBATCH --job-name=multi_worker
#SBATCH --ntasks=2
#SBATCH --time=01:00:00
#
# A worker a task by Slurm, of //examples:multi_worker; all options are the program's:
#
#   sbatch docs/multi_worker/slurm.sh --epochs=2
#   sbatch --nodes=4 --ntasks=4 --cpus-per-task=8 docs/multi_worker/slurm.sh --epochs=2
#
# Every node sees the folder that sbatch is called from, and reaches the others by their names.
set -euo pipefail

program=${LOCKSTEP_PROGRAM:-$SLURM_SUBMIT_DIR/bazel-bin/examples/multi_worker}

# Workers meet on the first node, each job at another port: jobs may share a node.
read -r MASTER_ADDR < <(scontrol show hostnames "$SLURM_JOB_NODELIST")
MASTER_PORT=$((20000 + SLURM_JOB_ID % 10000))
LOCKSTEP_TOKEN=$(od -An -N16 -tx1 /dev/urandom | tr -d ' ')
export MASTER_ADDR MASTER_PORT LOCKSTEP_TOKEN

# srun does not take this from sbatch by itself.
if [[ -n ${SLURM_CPUS_PER_TASK:-} ]]; then export SRUN_CPUS_PER_TASK=$SLURM_CPUS_PER_TASK; fi

# Each task listens at its own node's name.
exec srun --kill-on-bad-exit=1 \
  sh -c 'exec "$0" --listen_host="$SLURMD_NODENAME" --address="$SLURMD_NODENAME" "$@"' "$program" "$@"
