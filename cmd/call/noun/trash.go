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

// Trash is how things of a noun are deleted and come back.
type Trash[T any] struct {
	One  string // the key under which it gets the name of one alone: so it was called when there could be only one; empty: none
	Gone string // the key under which a program gets what was deleted; empty: deleted

	Rows    Rows[T] // the last deleted first; of Query.Dir and below it
	Delete  func(names []string) engine.Op
	Restore func(name string) engine.Op
	// Named is what a person means by a name, such as last; nil: the name itself.
	Named func(ctx context.Context, e *engine.Engine, name string) (string, error)
	// Stands is what a program is told of one that is back, besides its name; nil: nothing.
	Stands func(ctx context.Context, e *engine.Engine, name string) (map[string]any, error)
}

// Remove makes a command delete what its arguments name: all of it, or nothing if one cannot be.
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

// named checks a name and finds what is meant by it.
func (n Noun[T]) named(ctx context.Context, e *engine.Engine, arg string) (string, error) {
	if n.Numbers {
		return Number(arg, n.Is, n.Path)
	}
	if n.Trash.Named != nil {
		return n.Trash.Named(ctx, e, arg)
	}
	return arg, nil
}

// Number reads the number of something, which counts from 1.
func Number(arg, is, path string) (string, error) {
	k, err := strconv.Atoi(arg)
	if err != nil || k < 1 {
		return "", failure.Usage(fmt.Sprintf("name the %s by its number, not %q", is, arg), "list them with: "+path+" list")
	}
	return strconv.Itoa(k), nil
}

// Int is a number that Number has read.
func Int(name string) int {
	k, _ := strconv.Atoi(name)
	return k
}

// Ints are such numbers.
func Ints(names []string) (list []int) {
	for _, name := range names {
		list = append(list, Int(name))
	}
	return list
}

// called is a name in a sentence.
func (n Noun[T]) called(name string) string {
	if n.Numbers {
		return n.Is + " " + name
	}
	return name
}

// deleted says what was deleted, and to a program until when it can be restored.
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

// Restores makes a command take one thing out of the trash; "last" is the one of this folder that was deleted last.
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
