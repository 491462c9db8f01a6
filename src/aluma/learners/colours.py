"""The palette of Okabe and Ito, which colour-blind readers can tell apart; grey is for chance."""

from __future__ import annotations

BLUE = "#0072B2"
SKY = "#56B4E9"
VERMILION = "#D55E00"
GREEN = "#009E73"
PURPLE = "#CC79A7"
ORANGE = "#E69F00"
BROWN = "#8A5A2B"
GREY = "#7A7A7A"
