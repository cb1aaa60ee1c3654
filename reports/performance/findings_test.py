"""What is found in results: trends, scaling, phases, collectives."""

import unittest

from reports.performance import breakdowns, collectives, scaling_curves, trends
from reports.performance.result_testing import all_reduce, copy, load, peer_training, result, rounds, training
from tools import xml_unittest


def epochs(*rates):
    return [{"epoch_num": number, "items_per_second": rate} for number, rate in enumerate(rates, 1)]


def on(day, *entries, **context):
    return result(*entries, date=f"2026-01-0{day}T00:00:00+00:00", **context)


class TrendsTest(unittest.TestCase):
    def find(self, *results):
        return trends.find(load(*results).series)

    def test_points_are_by_date_with_quartiles(self):
        [trend] = self.find(on(2, training(samples=(30.0,)), complete=False), on(1, training(samples=(1.0, 2.0, 3.0))))
        self.assertEqual(
            [(point.source, point.complete, point.spread, point.count) for point in trend.points],
            [("2", True, (1.5, 2.0, 2.5), 3), ("1", False, (30.0,) * 3, 1)],
        )
        self.assertEqual((trend.machine, trend.unit, trend.program), ("A CPU, 2 cores", "images/s", "lockstep"))

    def test_bandwidth_is_in_gigabytes(self):
        [trend] = self.find(on(1, all_reduce(4096, 2e9)), on(2, all_reduce(4096, 3e9)))
        self.assertEqual([point.spread[1] for point in trend.points], [2.0, 3.0])

    def test_other_machines_entries_programs_and_configurations_are_not_joined(self):
        first = on(1, training())
        for other in (
            on(2, training(), cpu_model="Another"),
            on(2, training(), num_cpus=4),
            on(2, training(2)),
            on(2, training(program="older")),
            on(2, training(threads_per_replica=1)),
            on(2, training(), gpu_math="tf32 on"),
            on(2, training(), options={"planted": {"wait_us": 9}}),
        ):
            self.assertEqual(self.find(first, other), [])

    def test_unknown_machines_are_not_joined(self):
        unknown = {"cpu_model": None, "caches": None}
        self.assertEqual(self.find(on(1, training(), **unknown), on(2, training(), **unknown)), [])
        layer = {"name": "Layer/device:gpu", "real_time": 1.0}
        self.assertEqual(self.find(on(1, layer), on(2, layer)), [])
        self.assertEqual(len(self.find(on(1, layer, gpu="G"), on(2, layer, gpu="G"))), 1)

    def test_efficiency_of_several_replicas(self):
        found = self.find(
            *(
                on(day, training(1, epochs=epochs(10.0, 20.0)), training(2, epochs=epochs(rate, 20.0)))
                for day, rate in ((1, 5.0), (2, 20.0))
            )
        )
        self.assertEqual([trend.unit for trend in found], ["images/s", "images/s", "efficiency (weak scaling)"])
        self.assertEqual([point.spread[1] for point in found[-1].points], [0.75, 1.5])
        self.assertEqual(found[-1].name.number("replicas"), 2)

    def test_efficiency_of_weak_and_of_strong_scaling_is_not_joined(self):
        strong = training(1)
        strong["name"] = strong["name"].replace("batch_size:64", "batch_size:128")
        found = self.find(on(1, training(1), training(2, efficiency=0.9)), on(2, strong, training(2, efficiency=0.8)))
        self.assertEqual([trend.unit for trend in found], ["images/s"])


class CurvesTest(unittest.TestCase):
    def find(self, *entries, **context):
        return scaling_curves.find(load(result(*entries, **context)).series)

    def test_efficiency_is_by_epochs_that_took_turns(self):
        [curve] = self.find(
            training(2, samples=(90.0,), epochs=epochs(30.0, 4.0, 8.0)),
            training(1, samples=(50.0,), epochs=epochs(10.0, 4.0, 8.0)),
        )
        self.assertEqual(
            [(point.replicas, point.rate[1], point.count) for point in curve.points], [(1, 50.0, 3), (2, 90.0, 3)]
        )
        self.assertEqual(curve.points[1].efficiency, (1.0, 1.0, 2.0))

    def test_efficiency_is_by_rounds_where_there_are_some(self):
        [ours, peer] = self.find(
            *rounds(training, (10.0, 20.0)),
            *rounds(lambda **of: training(2, **of), (20.0, 20.0)),
            *rounds(lambda **of: peer_training("p", 1, **of), (4.0, 4.0)),
            *rounds(lambda **of: peer_training("p", 2, **of), (1.0, 1.0)),
        )
        self.assertEqual((ours.program, ours.points[1].efficiency[1]), ("lockstep", 1.5))
        self.assertEqual((peer.program, peer.points[1].efficiency[1]), ("p", 0.25))

    def test_efficiency_as_stated_where_nothing_is_paired(self):
        [curve] = self.find(training(1, efficiency=1.0), training(2, efficiency=0.9))
        self.assertEqual((curve.points[1].efficiency[1], curve.points[1].count), (0.9, 1))

    def test_without_one_replica_there_is_no_efficiency(self):
        [curve] = self.find(training(2, epochs=epochs(1.0)), training(4, epochs=epochs(1.0)))
        self.assertEqual([point.efficiency for point in curve.points], [None, None])

    def test_one_number_of_replicas_is_no_curve(self):
        self.assertEqual(self.find(training(1), all_reduce(4096, 1.0)), [])

    def test_workers_have_a_curve_of_their_own_over_the_replicas_of_all(self):
        workers = training(1, epochs=epochs(8.0))
        workers["name"] = workers["name"].replace(
            "replicas:1/global_batch_size:64", "workers:2/replicas:1/global_batch_size:128"
        )
        one, two = self.find(workers, training(1, epochs=epochs(10.0)), training(2, epochs=epochs(9.0)))
        self.assertEqual(
            (one.label, one.scaling, [point.replicas for point in one.points]), ("Lockstep", "weak", [1, 2])
        )
        self.assertEqual(two.label, "Lockstep, 2 workers")
        self.assertEqual([(point.replicas, point.efficiency[1]) for point in two.points], [(2, 0.8)])

    def test_without_a_strategy_is_other_work(self):
        none = training(1)
        none["name"] = none["name"].replace("/device", "/strategy:none/device")
        [curve] = self.find(none, training(1), training(2))
        self.assertEqual([point.replicas for point in curve.points], [1, 2])

    def test_weak_or_strong(self):
        strong = training(2)
        strong["name"] = strong["name"].replace("batch_size:128", "batch_size:64")
        odd = training(2)
        odd["name"] = odd["name"].replace("batch_size:128", "batch_size:100")
        for two, context, scaling in (
            (training(2), {}, "weak"),
            (strong, {}, "strong"),
            (odd, {}, "other"),
            (odd, {"options": {"scaling": "strong"}}, "strong"),
        ):
            [curve] = self.find(training(1), two, **context)
            self.assertEqual(curve.scaling, scaling)

    def test_replicas_on_cpus_share_the_cores(self):
        gpus = [training(n) for n in (1, 2)]
        for entry in gpus:
            entry["name"] = entry["name"].replace("device:cpu", "device:gpu")
        [on_cpu], [on_gpus] = self.find(training(1), training(2)), self.find(*gpus)
        self.assertEqual((on_cpu.shares_cores, on_gpus.shares_cores), (True, False))


class BreakdownsTest(unittest.TestCase):
    def test_phases_are_means_over_rounds(self):
        [bar] = breakdowns.find(
            load(
                result(
                    training(round=1, breakdown_ms={"forward": 1.0, "reduce": 3.0}),
                    training(round=2, breakdown_ms={"forward": 2.0}),
                    peer_training("p", round=1),
                )
            ).series
        )
        self.assertEqual((bar.phases, bar.rounds), ({"forward": 1.5, "reduce": 1.5}, 2))

    def test_an_entry_without_phases_has_no_bar(self):
        self.assertEqual(breakdowns.find(load(result(training(breakdown_ms={}))).series), [])


class CollectivesTest(unittest.TestCase):
    def find(self, *entries):
        return collectives.find(load(result(*entries)).series)

    def test_lines_are_by_bytes(self):
        gloo = {"name": "AllReduce/implementation:gloo/bytes:4096/replicas:2/device:cpu", "algbw": 5.0}
        ours, peer = self.find(
            all_reduce(8192, 3.0), all_reduce(4096, 1.0), all_reduce(4096, 2.0, repetition_index=1), gloo
        )
        self.assertEqual(
            (ours.what, ours.points),
            ("shared memory, 2 replicas", ((4096, (1.25, 1.5, 1.75)), (8192, (3.0, 3.0, 3.0)))),
        )
        self.assertEqual((peer.what, peer.points), ("Gloo, 2 replicas", ((4096, (5.0, 5.0, 5.0)),)))

    def test_the_bound_is_the_fastest_copy_over_bytes_moved(self):
        [line] = self.find(copy(100.0, threads=1), copy(240.0), all_reduce(4096, 3.0))
        self.assertEqual(line.bound, 60.0)  # an all-reduce that moves four bytes for each
        self.assertIsNone(self.find(all_reduce(4096, 3.0))[0].bound)
        self.assertIsNone(self.find(copy(9.0), {"name": "AllReduce/bytes:4", "algbw": 5.0})[0].bound)

    def test_a_list_of_tensors_has_no_size_to_plot(self):
        self.assertEqual(self.find({"name": "AllReduce/list:gradient", "algbw": 5.0}), [])


if __name__ == "__main__":
    xml_unittest.main()
