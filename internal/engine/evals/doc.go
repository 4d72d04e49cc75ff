// Package evals is the evaluations of an engine: contests whose questions are debates.
//
// An evaluation is one tree under the ref eval/NAME. Its first node is the contest.Plan: suite, seats, arms and rules, fixed
// before the first question. Below it are the limits, the rooms of all its questions, the outcomes, and the end, onto which
// the ref then moves. Which arms answer which items, and what the outcomes mean, is package eval/contest's; this package
// gives it the record, the money and the rooms, which are those of package rooms but for being in no list of debates.
//
// The rules are the shipped ones: what is measured must not depend on what was learned on this machine. What is learned from
// an item with a known key is recorded with its room, once, and never from seats that only pretend or from votes after talk.
//
// An evaluation may have more nodes than fit into memory, so its past is read once, in order, and of its rooms only the places
// are kept. One process at a time runs it. The budget begins with what is recorded as paid or lost. A seat that can be asked
// nothing any more, for want of money, a key or a copy, halts the contest instead of counting as wrong; [Resume] goes on.
package evals
