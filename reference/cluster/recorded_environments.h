// Environments that launchers set, for tests. Recorded with Open MPI 4.1.4,
// Slurm 22.05.8 and torch 2.15; Kubernetes' is as documented.
#ifndef LOCKSTEP_REFERENCE_CLUSTER_RECORDED_ENVIRONMENTS_H_
#define LOCKSTEP_REFERENCE_CLUSTER_RECORDED_ENVIRONMENTS_H_

#include <map>
#include <string>

namespace lockstep {

using Variables = std::map<std::string, std::string>;

// Merges both; `changes` has precedence.
inline Variables With(Variables changes, const Variables& others) {
  changes.insert(others.begin(), others.end());
  return changes;
}

inline Variables Without(Variables variables, const std::string& name) {
  variables.erase(name);
  return variables;
}

// mpirun --oversubscribe -np 2
inline Variables MpirunProcess(const std::string& rank) {
  return {{"OMPI_COMM_WORLD_RANK", rank},
          {"OMPI_COMM_WORLD_SIZE", "2"},
          {"OMPI_COMM_WORLD_LOCAL_RANK", rank},
          {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
          {"OMPI_COMM_WORLD_NODE_RANK", rank},
          {"OMPI_UNIVERSE_SIZE", "2"},
          {"PMIX_RANK", rank},
          {"PMIX_NAMESPACE", "1234567169"}};
}

// torchrun --standalone --nproc-per-node=2
inline Variables TorchrunProcess(const std::string& rank) {
  return {{"RANK", rank},
          {"WORLD_SIZE", "2"},
          {"LOCAL_RANK", rank},
          {"LOCAL_WORLD_SIZE", "2"},
          {"GROUP_RANK", "0"},
          {"GROUP_WORLD_SIZE", "1"},
          {"ROLE_RANK", rank},
          {"ROLE_WORLD_SIZE", "2"},
          {"ROLE_NAME", "default"},
          {"MASTER_ADDR", "localhost"},
          {"MASTER_PORT", "29500"},
          {"TORCHELASTIC_RESTART_COUNT", "1"},
          {"TORCHELASTIC_MAX_RESTARTS", "3"},
          {"TORCHELASTIC_RUN_ID", "ab12"},
          {"TORCHELASTIC_USE_AGENT_STORE", "True"},
          {"OMP_NUM_THREADS", "1"}};
}

// srun -n2 on one node
inline Variables SrunProcess(const std::string& rank) {
  return {{"SLURMD_NODENAME", "tux"},
          {"SLURM_GTIDS", "0,1"},
          {"SLURM_JOB_ID", "1"},
          {"SLURM_JOB_NODELIST", "tux"},
          {"SLURM_JOB_NUM_NODES", "1"},
          {"SLURM_LAUNCH_NODE_IPADDR", "127.0.0.1"},
          {"SLURM_LOCALID", rank},
          {"SLURM_NNODES", "1"},
          {"SLURM_NODEID", "0"},
          {"SLURM_NPROCS", "2"},
          {"SLURM_NTASKS", "2"},
          {"SLURM_PROCID", rank},
          {"SLURM_STEP_ID", "0"},
          {"SLURM_STEP_NODELIST", "tux"},
          {"SLURM_STEP_NUM_NODES", "1"},
          {"SLURM_STEP_NUM_TASKS", "2"},
          {"SLURM_STEP_TASKS_PER_NODE", "2"},
          {"SLURM_TASKS_PER_NODE", "2"}};
}

// srun -N2 -n3: the last task, alone on the second node
inline Variables SrunProcessOnSecondNode() {
  return With({{"SLURMD_NODENAME", "node2"},
               {"SLURM_JOB_NODELIST", "node[1-2]"},
               {"SLURM_LOCALID", "0"},
               {"SLURM_NODEID", "1"},
               {"SLURM_NTASKS", "3"},
               {"SLURM_PROCID", "2"},
               {"SLURM_STEP_NODELIST", "node[1-2]"},
               {"SLURM_STEP_NUM_TASKS", "3"},
               {"SLURM_STEP_TASKS_PER_NODE", "2,1"}},
              SrunProcess("0"));
}

// sbatch -n2: the script, which is no task
inline Variables BatchScript() {
  return {{"SLURM_JOB_ID", "1"},
          {"SLURM_JOB_NODELIST", "tux"},
          {"SLURM_NTASKS", "2"},
          {"SLURM_PROCID", "0"},
          {"SLURM_TASKS_PER_NODE", "2"}};
}

// A pod of an Indexed Job whose manifest passes the number and the service
inline Variables IndexedPod(const std::string& index) {
  return {{"JOB_COMPLETION_INDEX", index},
          {"HOSTNAME", "fit-" + index},
          {"LOCKSTEP_NUM_WORKERS", "2"},
          {"LOCKSTEP_SERVICE", "training"}};
}

// TF_CONFIG as Kubeflow's TFJob writes it
inline Variables TfJobPod(const std::string& index) {
  return {{"TF_CONFIG",
           R"({"cluster": {"worker": ["fit-worker-0.ml.svc:2222",
                                      "fit-worker-1.ml.svc:2222"]},
               "task": {"type": "worker", "index": )" +
               index + R"(}, "environment": "cloud"})"}};
}

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_CLUSTER_RECORDED_ENVIRONMENTS_H_
