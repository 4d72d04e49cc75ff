// Package noun makes the commands that all nouns have in common from one description each: list, search, show, rm,
// restore and prune.
//
// A person who knows the commands of one noun knows those of all. A list takes words, --all if the noun belongs to a
// folder, --limit if there may be many, and --deleted if there is a trash; if empty, it says how to make the first
// one, and exits with 0. A command that takes names completes them, and refuses an unknown one with the nearest, exit
// code 2. A prune has --dry-run, and says what it would do. With --output json every list is one array of everything
// asked for.
//
// Commands that only one noun has (a report in three formats, a question before an approval) are written in its own
// folder. A law in arch_test.go forbids it to write one of these commands itself.
package noun

import (
	"context"
	"iter"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/engine"
)

// Noun describes a kind of thing for its commands. Call, Are, Rows and Line must be set.
type Noun[T any] struct {
	*call.Call
	Is, Are string        // as in: debate, debates
	Path    string        // the command above those of the noun: socrates debate
	First   string        // printed if the list is empty: how to make the first one
	None    func() string // printed instead of First, if there is more to say

	Scope   Scope // which rows are listed without --all; zero: all
	Most    int   // limit without --limit; 0: none, and no such flag
	Indexed bool  // Rows looks for the words itself, in the index of the store
	Head    string
	Numbers bool               // numbers are their names
	Last    bool               // "last" is the newest of this project
	Wrap    func(rows []T) any // what a program gets instead of the rows; nil: the rows

	Rows Rows[T]
	Line func(T) string
	Far  func(T) string               // the line if several folders are listed; nil: Line
	Text func(T) string               // the text to search for words; nil: Far, or Line
	Name func(T) (name, about string) // for completion
	// Index finds names for completion by prefix, if there may be very many; nil: Rows does.
	Index func(ctx context.Context, begun string) ([]string, error)
	// Newest returns the default if no name is given; nil: a name is required.
	Newest func(ctx context.Context) (string, error)
	Foot   func(shown []T) string // printed below the rows; nil: nothing

	Trash *Trash[T] // nil: no trash
}

// Rows finds the rows, in the order in which they are listed.
type Rows[T any] func(ctx context.Context, q Query) iter.Seq2[T, error]

// Query is a request for a list.
type Query struct {
	Words        []string
	Dir          string // only what belongs to this folder; empty: to any
	All, Deleted bool
	Quiet        bool // for completion: print nothing but names
	Limit        int  // 0: everything
}

// AtMost is how many rows need to be found: one more than are shown, which tells whether there are more. 0: all.
func (q Query) AtMost() int {
	if q.Limit == 0 {
		return 0
	}
	return q.Limit + 1
}

// Scope is the kind of folder that a noun belongs to, and the one we are in.
type Scope struct {
	Is   string
	Here func() (string, error)
}

// Project is the scope of what belongs to a git worktree, or outside git to a folder.
func Project(a *call.Call) Scope { return Scope{"project", a.Project} }

// Folder is the scope of what belongs to the folder it was made in.
func Folder(a *call.Call) Scope { return Scope{"folder", a.Dir} }

// Stored returns rows that are read from the store.
func Stored[T any](a *call.Call, find func(ctx context.Context, e *engine.Engine, q Query) ([]T, error)) Rows[T] {
	return Found(func(ctx context.Context, q Query) ([]T, error) {
		e, err := a.Open(ctx)
		if err != nil {
			return nil, err
		}
		return find(ctx, e, q)
	})
}

// Found returns rows that are found all at once.
func Found[T any](find func(ctx context.Context, q Query) ([]T, error)) Rows[T] {
	return func(ctx context.Context, q Query) iter.Seq2[T, error] {
		return func(yield func(T, error) bool) {
			list, err := find(ctx, q)
			for _, row := range list {
				if !yield(row, nil) {
					return
				}
			}
			if err != nil {
				var none T
				yield(none, err)
			}
		}
	}
}

// Always returns a foot that does not depend on the listed rows.
func Always[T any](text string) func([]T) string {
	return func([]T) string { return text }
}
