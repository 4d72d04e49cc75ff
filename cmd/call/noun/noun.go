// Package noun makes the commands that all nouns have in common from one row each: list, search, show, rm, restore and prune.
//
// A person who knows the commands of one noun knows those of all. A list takes words, --all where the noun belongs to a
// folder, --limit where there may be many, and --deleted where there is a trash; it says how to make the first one where
// there is none, and exits with 0 whatever it finds. A command that takes names completes them, and refuses an unknown
// one with the nearest, exit code 2. A prune has --dry-run, and says what it would do. With --output json every list is one array, of
// everything that was asked for.
//
// What only one noun has (a report in three formats, a question before an approval) is written in its own folder. A law in arch_test.go
// keeps it from making one of these commands by itself.
package noun

import (
	"context"
	"iter"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/engine"
)

// Noun is a row: what a person has several of, as its commands need it. Call, Are, Rows and Line must be set.
type Noun[T any] struct {
	*call.Call
	Is, Are string        // debate, debates
	Path    string        // the command that has those of the noun: socrates debate
	First   string        // told where there is none: how to make one
	None    func() string // told instead, where there is more to say than that

	Scope   Scope // what is listed without --all; zero: everything
	Most    int   // how many are listed without --limit; 0: all, and there is no such flag
	Indexed bool  // Rows looks for the words itself, in the index of the store
	Head    string
	Numbers bool               // they are named by numbers
	Last    bool               // "last" is the newest of this project
	Wrap    func(rows []T) any // what a program gets instead of the rows; nil: those

	Rows Rows[T]
	Line func(T) string
	Far  func(T) string               // the line where several folders are listed; nil: Line
	Text func(T) string               // what words are looked for in; nil: Far, or Line
	Name func(T) (name, about string) // for completion
	// Index finds names for completion by how they begin, where there may be very many; nil: Rows does.
	Index func(ctx context.Context, begun string) ([]string, error)
	// Newest is the one that is meant if none is named; nil: one must be.
	Newest func(ctx context.Context) (string, error)
	Foot   func(shown []T) string // told below the rows; nil: nothing

	Trash *Trash[T] // nil: there is none
}

// Rows find what there is, in the order in which it is listed.
type Rows[T any] func(ctx context.Context, q Query) iter.Seq2[T, error]

// Query is what a list is asked for.
type Query struct {
	Words        []string
	Dir          string // only what belongs to this folder; empty: to any
	All, Deleted bool
	Quiet        bool // a shell asks, and shows nothing but names
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

// Project is for what belongs to a git worktree, or outside git to a folder.
func Project(a *call.Call) Scope { return Scope{"project", a.Project} }

// Folder is for what belongs to the folder it was made in.
func Folder(a *call.Call) Scope { return Scope{"folder", a.Dir} }

// Stored are rows that are found in the store.
func Stored[T any](a *call.Call, find func(ctx context.Context, e *engine.Engine, q Query) ([]T, error)) Rows[T] {
	return Found(func(ctx context.Context, q Query) ([]T, error) {
		e, err := a.Open(ctx)
		if err != nil {
			return nil, err
		}
		return find(ctx, e, q)
	})
}

// Found are rows that are found all at once.
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

// Always is a foot that is the same whatever is listed.
func Always[T any](text string) func([]T) string {
	return func([]T) string { return text }
}
