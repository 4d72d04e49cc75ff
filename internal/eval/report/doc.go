// Package report reports the results of a contest: figures with their intervals, as text, as JSON and as a page.
//
// [Make] computes a [Report] from a [Record]: the plan, what was chosen on the way, the items and the outcomes so far. It depends on
// nothing else: the seed of the plan is the seed of every resampling, so the same record gives the same figures on every machine, and
// a contest that was stopped has a report on what is done.
//
// The arms are compared only on the items that compare. The best single model was chosen on others, since a choice on the same items
// would favour it. A pair of arms is compared on the items for which both have an outcome. Shares have Wilson intervals, differences
// a bootstrap within strata and an exact McNemar test, corrected by Holm for all comparisons of the report.
//
// Three printers show the same tables: [Report.Text] for a screen of 80 columns, [Report.HTML] and [Report.Article] for a page, with
// figures drawn here as SVG. Texts of suites, seats and models are escaped. A report on simulated seats says at its beginning and end
// that it says nothing about models.
package report
