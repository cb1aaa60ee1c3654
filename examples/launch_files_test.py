"""Runs the files of docs/multi_worker with the program that they start; only the launchers are fakes.

Neither Slurm nor Kubernetes is needed: tasks and pods are processes with the environment that these would give them.
"""

import os
import random
import shutil
import socket
import subprocess
import tempfile
import unittest

import yaml

from tools import xml_unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(xml_unittest.__file__)))
PROGRAM = os.path.join(ROOT, "examples/multi_worker")
FOLDER = os.path.join(ROOT, "docs/multi_worker")
SHORT = {"--data": "embedded", "--epochs": "1", "--steps": "2"}
# Where the program finds the small data set, by whatever link it was started.
DATA = {"RUNFILES_DIR": os.environ["TEST_SRCDIR"]}

# Plays two tasks of srun on one node, says how it was called, and ends as the worst of them.
SRUN = """#!/bin/sh
export SLURM_STEP_ID=0 SLURM_STEP_NODELIST=$SLURM_JOB_NODELIST SLURM_STEP_NUM_TASKS=2 SLURM_STEP_TASKS_PER_NODE=2
export SLURM_NODEID=0 SLURMD_NODENAME=$SLURM_JOB_NODELIST
while [ "${1#-}" != "$1" ]; do echo "srun $1"; shift; done
SLURM_PROCID=1 SLURM_LOCALID=1 "$@" & second=$!
status=0
SLURM_PROCID=0 SLURM_LOCALID=0 "$@" || status=1
wait $second || status=1
exit $status
"""
SCONTROL = '#!/bin/sh\n[ "$1 $2" = "show hostnames" ] && echo "$3"\n'
EVERYWHERE = "0.0.0.0"  # an interface that is refused without a token


def free_port(ports=(0,)):
    for port in ports:
        with socket.socket() as listener:
            try:
                listener.bind(("127.0.0.1", port))
                return listener.getsockname()[1]
            except OSError:
                pass
    raise AssertionError("no port is free")


def read_manifest():
    """The manifest's objects by kind."""
    with open(os.path.join(FOLDER, "kubernetes.yaml"), encoding="utf-8") as file:
        return {thing["kind"]: thing for thing in yaml.safe_load_all(file)}


class LaunchTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"))
        self.addCleanup(folder.cleanup)
        self.folder = folder.name


class KubernetesTest(LaunchTest):
    def setUp(self):
        super().setUp()
        self.manifest = read_manifest()
        self.job = self.manifest["Job"]
        self.pod = self.job["spec"]["template"]["spec"]
        (self.container,) = self.pod["containers"]

    def environment(self, index):
        """The environment of a container of the job: what the kubelet sets, and what the manifest sets."""
        values = {"JOB_COMPLETION_INDEX": str(index), "HOSTNAME": f"{self.job['metadata']['name']}-{index}"}
        for variable in self.container["env"]:
            values[variable["name"]] = variable.get("value") or self.looked_up(variable["valueFrom"])
        return values

    def looked_up(self, source):
        ((kind, place),) = source.items()
        if kind == "secretKeyRef":
            return f"{place['name']} {place['key']}"
        self.assertEqual((kind, place), ("fieldRef", {"fieldPath": "status.podIP"}))
        return "127.0.0.1"

    def start(self, index, options):
        """Pod `index`, with these options in place of the manifest's; its volumes are folders of this test."""
        environment = self.environment(index) | DATA
        arguments = dict(argument.split("=") for argument in self.container["args"]) | SHORT | options
        line = " ".join(f"{name}={value}" for name, value in arguments.items())
        for name, value in environment.items():
            line = line.replace(f"$({name})", value)
        for volume in self.container["volumeMounts"]:
            line = line.replace(volume["mountPath"], os.path.join(self.folder, volume["name"]))
        process = subprocess.Popen(
            [PROGRAM, *line.split()],
            env=environment,
            cwd=self.folder,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def test_two_pods_train_together(self):
        meet = {"--chief": f"localhost:{free_port()}"}
        pods = [self.start(index, meet) for index in (0, 1)]
        said = [pod.communicate(timeout=60)[0] for pod in pods]
        self.assertEqual([pod.returncode for pod in pods], [0, 0], said)
        self.assertIn("Number of devices: 2\n", said[0])
        self.assertIn("Accuracy after restoring", said[0])
        self.assertIn("checkpoint", os.listdir(os.path.join(self.folder, "checkpoints")))

    def test_pods_look_for_each_other_by_the_services_names(self):
        for index, options, missed in (
            (
                0,
                {"--chief": f"localhost:{free_port()}", "--listen_host": EVERYWHERE},
                "worker 1 (multi-worker-1.multi-worker:8888), which never joined",
            ),
            (1, {}, "worker 0 (multi-worker-0.multi-worker:8888)"),
        ):
            pod = self.start(index, options | {"--join_timeout": "0.5"})
            said = pod.communicate(timeout=60)[0]
            self.assertEqual(pod.returncode, 1)
            self.assertIn(missed, said)

    def test_the_objects_fit_together(self):
        job, service = self.job["spec"], self.manifest["Service"]
        labels = {"job-name": self.job["metadata"]["name"]}  # which Kubernetes gives to the pods
        self.assertEqual((job["completions"], job["parallelism"]), (2, 2))
        self.assertEqual((job["completionMode"], self.environment(0)["LOCKSTEP_NUM_WORKERS"]), ("Indexed", "2"))
        self.assertEqual((service["spec"]["clusterIP"], service["spec"]["selector"]), ("None", labels))
        self.assertEqual(
            {self.pod["subdomain"], self.environment(0)["LOCKSTEP_SERVICE"]}, {service["metadata"]["name"]}
        )
        policy = self.manifest["NetworkPolicy"]["spec"]
        self.assertEqual(policy["podSelector"], {"matchLabels": labels})
        self.assertEqual(policy["ingress"], [{"from": [{"podSelector": policy["podSelector"]}]}])
        (volume,) = self.pod["volumes"]
        self.assertEqual(
            volume["persistentVolumeClaim"]["claimName"], self.manifest["PersistentVolumeClaim"]["metadata"]["name"]
        )
        self.assertEqual(self.container["command"], [os.path.basename(PROGRAM)])


class SlurmTest(LaunchTest):
    def setUp(self):
        super().setUp()
        self.programs = os.path.join(self.folder, "programs")
        os.mkdir(self.programs)
        for name, script in (("srun", SRUN), ("scontrol", SCONTROL)):
            with open(os.path.join(self.programs, name), "w", encoding="utf-8") as file:
                file.write(script)
            os.chmod(file.name, 0o755)
        built = os.path.join(self.folder, "checkout/bazel-bin/examples")
        os.makedirs(built)
        os.symlink(PROGRAM, os.path.join(built, "multi_worker"))
        self.port = free_port(random.sample(range(20000, 30000), 100))

    def run_batch_script(self, *options, node="localhost"):
        """As sbatch runs it: a copy, with the variables of a job of two tasks on this node."""
        script = shutil.copy(os.path.join(FOLDER, "slurm.sh"), os.path.join(self.folder, "slurm_script"))
        environment = {
            "PATH": f"{self.programs}:{os.environ['PATH']}",
            "SLURM_JOB_ID": str(50000 + self.port),
            "SLURM_SUBMIT_DIR": os.path.join(self.folder, "checkout"),
            "SLURM_JOB_NODELIST": node,
            "SLURM_NTASKS": "2",
            "SLURM_PROCID": "0",
            "SLURM_TASKS_PER_NODE": "2",
            **DATA,
        }
        return subprocess.run(
            ["bash", script, *options],
            cwd=self.folder,
            env=environment,
            text=True,
            check=False,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=60,
        )

    def test_the_tasks_train_together(self):
        options = [f"{name}={value}" for name, value in SHORT.items()]
        ran = self.run_batch_script(f"--checkpoint_dir={self.folder}/a place", *options)
        self.assertEqual(ran.returncode, 0, ran.stdout)
        self.assertIn("srun --kill-on-bad-exit=1\n", ran.stdout)
        self.assertIn("Number of devices: 2\n", ran.stdout)
        self.assertIn("checkpoint", os.listdir(os.path.join(self.folder, "a place")))

    def test_they_meet_at_a_port_of_the_job_and_fail_with_the_program(self):
        with socket.socket() as other:
            other.bind(("127.0.0.1", self.port))
            other.listen()
            ran = self.run_batch_script("--join_timeout=0.5", node=EVERYWHERE)
        self.assertEqual(ran.returncode, 1)
        self.assertIn(f"{EVERYWHERE}:{self.port}: the port is in use", ran.stdout)


if __name__ == "__main__":
    xml_unittest.main()
