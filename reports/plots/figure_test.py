"""Plots follow the page from light to dark, and stay as they are where they stand alone."""

import re
import unittest

from reports import page
from reports.plots import colors, figure
from tools import xml_unittest


def draw(axes):
    axes.plot([1, 2], [1, 2], color=figure.COLORS[0])
    axes.set_xlabel("batches")


class FigureTest(unittest.TestCase):
    def test_ground_words_and_lines_of_a_page_s_plot_have_variables(self):
        svg = figure.svg(draw)
        for color in ("#ffffff", colors.INK, figure.COLORS[0]):
            self.assertIn(f"var(--plot-{color[1:]}, {color})", svg)
        self.assertNotRegex(svg, "(fill|stroke): #(ffffff|000000)")

    def test_other_colors_stay(self):
        self.assertEqual(colors.themed('style="fill: #123456"'), 'style="fill: #123456"')
        self.assertEqual(colors.themed("<text>#ffffff</text>"), "<text>#ffffff</text>")

    def test_a_picture_stays_on_white(self):
        self.assertNotIn("var(", figure.picture(draw, 4, 3, "title", "caption", "description"))

    def test_a_dark_page_sets_every_variable(self):
        text = page.render("base.html.j2")
        dark = text[text.index("prefers-color-scheme: dark") :]
        for variable, color in colors.variables():
            self.assertIn(f"{variable}: {color};", dark)

    def test_lines_keep_their_distance_from_each_other_when_dark(self):
        drawn = [colors.DARK.get(color, color) for color in figure.COLORS]
        self.assertEqual(len(set(drawn)), len(drawn))
        self.assertTrue(all(re.fullmatch("#[0-9a-f]{6}", color) for color in drawn))


if __name__ == "__main__":
    xml_unittest.main()
