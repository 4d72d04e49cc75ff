// Package runs is the runs of an engine: plans that are carried out, task by task, by agents in workspaces of their own. What happens
// in a run is package work; here are its record, its lock and its agents' conversations.
//
// A run is one tree under the ref run/NAME, which never moves: how it stands is read from all of its nodes (work.Read). Its way
// has up to four phases. Refine makes clear what was asked, analyze has a panel or one model say how to do it, plan has the
// plan written and checked by code, execute carries it out. [Advance] goes on with a run from wherever it is; each phase is
// recorded as it ends, so that none is done twice.
//
// # Who works where
//
// Each phase and each attempt of a step has a conversation of its own, which is an ordinary one: it can be read, and it shows
// what was paid. Phases only read the project. Steps work in clones below the run's folder and never in the project, whose
// repository is changed by [Accept] alone.
//
// # Invariants
//
// One process at a time carries a run out, or changes it: lockRun locks it, reads it again and completes what a killed process
// had begun to accept. A person's words (pause, cancel, approve) need no lock for being recorded; whoever carries the run out hears
// of them from the store.
//
// What is about to change the project is recorded before, so that after a crash it is known whether to record that it is
// done or to take back what was done in part. Uncommitted work of a person is never written over.
//
// Checks run only if they were allowed word by word. A run that came from a file is never carried on: its executors, its
// mode and its checks are somebody else's choice.
//
// Money: the budget of a run begins with what its analysis and all its conversations have spent, and every call reserves in
// it. In a race each executor has an equal share, and one share is kept for whoever compares.
//
// # Failures
//
// A step that fails leaves the others to go on; a phase that fails is recorded with its reason and is the error of the job.
// A person decides about steps that code cannot prove. An analysis without a decision is [Undecided], a plan that code finds
// faults in is [Wrong], once the planner had one chance to repair it.
package runs
