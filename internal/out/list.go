package out

import "fmt"

// List is the output of a command that lists: for a program its rows as one JSON value, for a person a line or
// a few each. Head, None, Then and Left may be empty.
type List[T any] struct {
	Rows []T
	Head string         // above the rows
	Line func(T) string // including its line ends
	None string         // for a person if there are no rows
	Then string         // for a person, below the rows
	Left string         // a warning to a program of what the rows leave out
}

// Write writes the list in the chosen format. Rows go to stdout and notes around them to stderr: a pipe gets
// only the rows, and an empty list leaves stdout empty.
func (l List[T]) Write(o *Out) error {
	if o.Format != "text" {
		if l.Left != "" {
			o.Warn(l.Left)
		}
		return o.JSON(l.Rows)
	}
	if len(l.Rows) > 0 {
		fmt.Fprint(o, l.Head)
	}
	for _, row := range l.Rows {
		fmt.Fprint(o, l.Line(row))
	}
	told := l.Then
	if len(l.Rows) == 0 {
		told = l.None
	}
	if told != "" {
		o.Tell(told)
	}
	return nil
}

// Done reports what was done: an object for a program, sentences for a person. The sentences go to stderr and
// are left out with --quiet; the object is always written.
func (o *Out) Done(object any, sentences ...string) error {
	if o.Format != "text" {
		return o.JSON(object)
	}
	for _, s := range sentences {
		o.Tell(s + "\n")
	}
	return nil
}
