package out

import "fmt"

// List is what a command lists: to a program its rows as one JSON value, to a person a line or a few for each.
// Head, None, Then and Left may be empty.
type List[T any] struct {
	Rows []T
	Head string         // above the rows
	Line func(T) string // with the ends of its lines
	None string         // told a person where there are no rows
	Then string         // told a person below the rows
	Left string         // a warning to a program, of what is not among the rows
}

// Write writes the list in the format that was asked for.
// Rows go to stdout and notes around them to stderr: a pipe gets the rows alone, and an empty list leaves stdout empty.
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

// Done says what was done: to a program an object, to a person sentences.
// The sentences go to stderr and are left out with --quiet; the object is always written.
func (o *Out) Done(object any, sentences ...string) error {
	if o.Format != "text" {
		return o.JSON(object)
	}
	for _, s := range sentences {
		o.Tell(s + "\n")
	}
	return nil
}
