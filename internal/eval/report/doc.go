// Package report says what a contest came to: figures with their intervals, as text, as JSON and as a page.
//
// [Make] computes a [Report] of a [Record], which is all that was recorded: the plan, what was chosen on the way, the
// items and the outcomes so far. It is a function of that: the seed of the plan is the seed of every resampling, so
// the same record gives the same figures on every machine, and a contest that was stopped has a report of what is
// done.
//
// The arms are compared on the items that compare, and on these alone. The best single model was chosen on others,
// since a choice made on the same items would favour it. A pair of arms is compared on the items both have an outcome
// of. Shares have Wilson intervals, differences a bootstrap within strata and an exact McNemar test, corrected by
// Holm for all comparisons of the report.
//
// Three printers show the same tables: [Report.Text] for a screen of 80 columns, [Report.HTML] and [Report.Article]
// for a page, with pictures drawn here as SVG. What a suite, a seat or a model wrote is escaped. A report of
// simulated seats says at its beginning and at its end that it says nothing about models.
package report
