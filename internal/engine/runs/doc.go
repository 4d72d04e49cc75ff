// Package runs contains an engine's runs: plans that agents execute, task by task, each in its own workspace. Package
// work defines what happens in a run; this package has its record, its lock and its agents' conversations.
//
// A run is one tree under the ref run/NAME, which never moves: its state is computed from all of its nodes (work.Read).
// It has up to four phases. Refine clarifies the request, analyze has a panel or one model say how to do it, plan has
// the plan written and checked by code, execute carries it out. Which of them a run goes through is its way. [Advance]
// continues a run from wherever it is; the result of each phase is recorded when it ends, so that none is done twice.
//
// # Who works where
//
// Each phase and each attempt of a step has an ordinary conversation of its own: it can be read, and it shows what was
// paid. Phases only read the project. Steps work in clones below the run's folder and never in the project, whose
// repository only [Accept] changes.
//
// # Invariants
//
// One process at a time executes a run, or changes it: lockRun locks it, reads it again and completes an acceptance
// that a killed process had begun. A person's orders (pause, cancel, approve) are recorded without the lock; the
// process that executes the run reads them from the store.
//
// A change of the project is recorded before it is made, so that after a crash it is known whether to record that it is
// done or to revert what was done in part. Uncommitted work of a person is never overwritten.
//
// Checks run only if they were allowed word by word. A run that was imported from a file is never continued: its
// executors, its mode and its checks are somebody else's choice.
//
// Money: the budget of a run is reduced by what its analysis and all its conversations have spent, and every call
// reserves in it. In a race each executor has an equal share, and one share is reserved for the comparison.
//
// # Failures
//
// If a step fails, the others continue; if a phase fails, the reason is recorded and is the error of the job. A person
// decides about steps that code cannot prove. An analysis without a decision is [Undecided], a plan in which code finds
// faults is [Wrong], after the planner had one chance to repair it.
package runs
