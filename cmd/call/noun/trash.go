package noun

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/store"
)

// Trash describes how things of a noun are deleted and restored.
type Trash[T any] struct {
	One  string // an additional key for the name if only one was deleted, kept from when only one could be; empty: none
	Gone string // the key for the names of deleted things in JSON; empty: deleted

	Rows    Rows[T] // the latest deleted first; of Query.Dir and below it
	Delete  func(names []string) engine.Op
	Restore func(name string) engine.Op
	// Named resolves a name such as last; nil: names stand for themselves.
	Named func(ctx context.Context, e *engine.Engine, name string) (string, error)
	// Stands returns what a program is told about a restored thing besides its name; nil: nothing.
	Stands func(ctx context.Context, e *engine.Engine, name string) (map[string]any, error)
}

// Remove makes a command delete what its arguments name: all of them, or nothing if one cannot be deleted.
func (n Noun[T]) Remove(c *cobra.Command) *cobra.Command {
	c.ValidArgsFunction = n.Offers(0)
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return failure.Usage("no "+n.Is+" given", "list them with: "+n.Path+" list")
		}
		ctx := c.Context()
		e, err := n.Open(ctx)
		if err != nil {
			return err
		}
		var names, said []string
		for _, arg := range args {
			name, err := n.named(ctx, e, arg)
			if err != nil {
				return err
			}
			if !slices.Contains(names, name) {
				names = append(names, name)
				said = append(said, "Deleted "+n.called(name)+". Restore it within "+call.TrashDays+": "+n.Path+" restore "+name)
			}
		}
		if _, err := e.Do(ctx, n.Trash.Delete(names)); err != nil {
			return err
		}
		return n.deleted(names, said)
	}
	return c
}

// named checks a name and resolves it.
func (n Noun[T]) named(ctx context.Context, e *engine.Engine, arg string) (string, error) {
	if n.Numbers {
		return Number(arg, n.Is, n.Path)
	}
	if n.Trash.Named != nil {
		return n.Trash.Named(ctx, e, arg)
	}
	return arg, nil
}

// Number parses the number of something, counted from 1.
func Number(arg, is, path string) (string, error) {
	k, err := strconv.Atoi(arg)
	if err != nil || k < 1 {
		return "", failure.Usage(fmt.Sprintf("name the %s by its number, not %q", is, arg), "list them with: "+path+" list")
	}
	return strconv.Itoa(k), nil
}

// Int converts a name that Number has returned.
func Int(name string) int {
	k, _ := strconv.Atoi(name)
	return k
}

// Ints converts several.
func Ints(names []string) (list []int) {
	for _, name := range names {
		list = append(list, Int(name))
	}
	return list
}

// called returns a name for use in a sentence.
func (n Noun[T]) called(name string) string {
	if n.Numbers {
		return n.Is + " " + name
	}
	return name
}

// deleted reports what was deleted, and tells a program until when it can be restored.
func (n Noun[T]) deleted(names, said []string) error {
	told := map[string]any{"until": time.Now().Add(engine.TrashTime).UTC().Truncate(time.Second)}
	key := cmp.Or(n.Trash.Gone, "deleted")
	if told[key] = names; n.Numbers {
		told[key] = Ints(names)
	}
	if len(names) == 1 && n.Numbers {
		told[cmp.Or(n.Trash.One, "number")] = Int(names[0])
	} else if len(names) == 1 && n.Trash.One != "" {
		told[n.Trash.One] = names[0]
	}
	return n.Out.Done(told, said...)
}

// Restores makes a command restore one thing from the trash; "last" is the latest deleted of this folder.
func (n Noun[T]) Restores(c *cobra.Command) *cobra.Command {
	c.Args = call.Takes(1, "the name of one deleted "+n.Is,
		"list them with: "+n.Path+" list --deleted; \"last\" is the most recent of this project")
	c.ValidArgsFunction = n.offers(1, func() Query { return Query{Deleted: true} })
	c.RunE = func(c *cobra.Command, args []string) error { return n.restore(c.Context(), args[0]) }
	return c
}

func (n Noun[T]) restore(ctx context.Context, name string) error {
	e, err := n.Open(ctx)
	if err != nil {
		return err
	}
	q := Query{Deleted: true, Limit: 5} // enough to name the nearest
	if name == "last" {
		if q.Dir, err = n.Project(); err != nil {
			return err
		}
	} else if n.Numbers {
		if name, err = Number(name, n.Is, n.Path); err != nil {
			return err
		}
	}
	there, _, err := n.find(ctx, q)
	if err != nil {
		return err
	}
	switch {
	case len(there) == 0 && q.Dir != "":
		return failure.Usage("no deleted "+n.Is+" of this folder", "list those of all folders with: "+n.Path+" list --deleted")
	case len(there) == 0:
		return failure.Usage("no deleted "+n.Is, "deleted "+n.Are+" are kept for "+call.TrashDays)
	case name == "last":
		name, _ = n.Name(there[0])
	}
	if _, err := e.Do(ctx, n.Trash.Restore(name)); errors.Is(err, store.ErrNotFound) {
		return failure.Usage("no deleted "+n.Is+" "+name, failure.Nearest(name, n.names(there)))
	} else if err != nil {
		return err
	}
	told := map[string]any{}
	if n.Trash.Stands != nil {
		if told, err = n.Trash.Stands(ctx, e, name); err != nil {
			return err
		}
	}
	if told["restored"] = name; n.Numbers {
		told["restored"], told["number"] = Int(name), Int(name)
	}
	return n.Out.Done(told, "Restored "+n.called(name)+".")
}
