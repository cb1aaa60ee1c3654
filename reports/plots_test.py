import unittest
import xml.etree.ElementTree

from reports import plots
from tools import xml_unittest


def entry(replicas, blocks=(900.0, 1000.0, 1100.0)):
    return {
        "replicas": replicas,
        "images_per_second": 1000.0,
        "breakdown_ms": {"forward": 3.0, "backward": 6.0, "reduce": 0.5},
        "samples": {"images_per_second": list(blocks)},
        "epochs": [
            {"epoch_num": 1, "loss": 0.5, "eval_accuracy": 85.0},
            {"epoch_num": 2, "loss": 0.3, "eval_accuracy": 88.0},
        ],
    }


class PlotsTest(unittest.TestCase):
    def test_each_plot_is_a_whole_svg_that_names_its_parts(self):
        entries = [entry(1), entry(2)]
        for svg, words in [
            (plots.throughput(entries), ["1 replica", "2 replicas", "images/s"]),
            (plots.breakdown(entries), ["exposed reduce", "backward", "2 replicas"]),
            (plots.epoch_curve(entries, [("loss", "training")], "loss"),
             ["2 replicas, training", "epoch"]),
            (plots.over_time(entries), ["block", "images/s"]),
        ]:
            self.assertTrue(
                xml.etree.ElementTree.fromstring(svg).tag.endswith("svg"))
            for word in words:
                self.assertIn(word, svg)

    def test_the_same_data_gives_the_same_picture(self):
        self.assertEqual(plots.throughput([entry(1)]), plots.throughput([entry(1)]))

    def test_an_entry_without_blocks_has_a_bar(self):
        self.assertIn("1 replica", plots.throughput([entry(1, blocks=())]))


if __name__ == "__main__":
    xml_unittest.main()
