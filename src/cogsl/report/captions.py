"""What a reader has to know to read the tables, figures and margins of a page."""

from __future__ import annotations

INTERVALS = "95 % intervals of the mean over runs (Student's t below 10 runs, bootstrap from 10 on)"

FIGURE = (
    f"Bands and bars are {INTERVALS}; a single run has none. A band that leaves its panel is wider "
    "than shown. Where there are many lines each has its band in a panel of its own."
)

DIFFERENCES = (
    "In brackets behind a difference is its 95 % interval, paired over the runs that both have "
    "(Student's t, not corrected for the number of rows); with fewer than two there is none."
)

BEST_OTHER = (
    "The best other method is named. It is picked by the same runs, so that the margin is a little "
    "too small rather than too large."
)

TABLES = (
    "Mean ± standard deviation over runs, in percent (MI in nats). The best mean is bold, the "
    "runner-up underlined. The paper's own numbers stand in brackets.",
    "A star (*) marks what the test does not tell apart from the best; a dagger (†) what was not "
    "tested, as it has fewer than two runs in common with the best; what has neither is told apart "
    "(p < 0.05). `[3]` says that a figure has three runs where most of its column have another "
    "number: a row with fewer runs saw fewer of the splits, and its mean is of these alone.",
    "The test is Student's, paired over the runs that two rows share, and corrected within each "
    "column (Holm). Runs differ by split and seed, or by seed alone where the split is public. All "
    "splits are drawn from the same nodes: a p-value speaks of other splits and seeds of this data "
    "set, not of other data.",
    f"The list beside this page (CSV) has the p-values and the {INTERVALS}.",
)
