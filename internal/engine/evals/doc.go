// Package evals contains an engine's evaluations: contests whose questions are debates.
//
// An evaluation is one tree under the ref eval/NAME. Its first node is the contest.Plan: suite, seats, arms and rules, fixed before the
// first question. Below it are the limits, the rooms of all its questions, the outcomes, and the end, to which the ref then moves. Package
// eval/contest decides which arms answer which items, and what the outcomes mean; this package provides the record, the money and the
// rooms, which work as in package rooms but are not in the list of debates.
//
// The rules are the shipped ones: a measurement must not depend on what was learned on this machine. What is learned from an item with a
// known key is recorded with its room, once, and never from simulated seats or from votes after a discussion.
//
// An evaluation may have more nodes than fit into memory, so its past is read once, in order, and only the position of each room is kept.
// One process at a time runs it. The budget starts with what is recorded as paid or lost. A seat that can no longer be asked, because
// money, a key or a copy is missing, halts the contest instead of counting as wrong; [Resume] continues it.
package evals
