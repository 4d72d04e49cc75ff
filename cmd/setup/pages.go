package setup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/call/noun"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/page"
)

// pages are a kind of page that the program provides and a person can add to; its commands list, show and create
// them. R is a page in JSON. warnings may be nil; everything else must be set. rows returns pages that cannot be used
// as errors, beside those that can.
type pages[R any] struct {
	is, are, foot string // persona, personas; text below the list
	rows          func() (rows []R, wrong []error, err error)
	head          func(R) (name, file, doc string)
	find          func(name string) (R, error)
	text          func(name string) (string, error)
	warnings      func(R) []string // nil: none
	write         func(name string) (file string, err error)
	then          func(name string) string // what to do once a new one is edited
}

// commands adds list, show and new to the command of the pages, which lists them itself.
func (p pages[R]) commands(a *call.Call, c *cobra.Command) cobra.CompletionFunc {
	n := noun.Noun[R]{Call: a, Is: p.is, Are: p.are, Path: "socrates " + p.are,
		Rows: noun.Found(func(_ context.Context, q noun.Query) ([]R, error) {
			rows, wrong, err := p.rows()
			for _, err := range wrong { // unusable pages are not in the list
				if !q.Quiet {
					a.Out.Warn(err.Error())
				}
			}
			return rows, err
		}),
		Line: func(r R) string {
			name, file, doc := p.head(r)
			return out.Fit(os.Stdout, fmt.Sprintf("%-11s %-8s  %s\n", name, origin(file), doc), strings.Repeat(" ", 22))
		},
		Text: func(r R) string {
			name, file, doc := p.head(r)
			return name + " " + origin(file) + " " + doc
		},
		Name: func(r R) (string, string) {
			name, _, doc := p.head(r)
			return name, doc
		},
		Foot: noun.Always[R](p.foot)}
	shows := "Print a " + p.is
	if p.warnings != nil {
		shows += " and its warnings"
	}
	list, names := n.List("List "+p.are), n.Offers(1)
	c.RunE = list.RunE
	c.AddCommand(list,
		noun.Show(n, &cobra.Command{Use: "show NAME", Short: shows},
			func(_ context.Context, name string) (R, error) { return p.find(name) },
			func(row R) error { return p.page(a, row) }),
		&cobra.Command{Use: "new NAME", Short: "Create a " + p.is + " to edit (never overwrites)",
			Args: call.Takes(1, "one name", "list "+p.are+" with: socrates "+p.are), ValidArgsFunction: names,
			RunE: func(_ *cobra.Command, args []string) error { return p.create(a, args[0]) }},
	)
	return names
}

// page prints the text of a page, then its warnings.
func (p pages[R]) page(a *call.Call, row R) error {
	name, _, _ := p.head(row)
	text, err := p.text(name)
	if err != nil {
		return err
	}
	fmt.Fprint(a.Out, strings.TrimRight(text, "\n")+"\n")
	if p.warnings != nil {
		for _, w := range p.warnings(row) {
			a.Out.Warn(w)
		}
	}
	return nil
}

// create writes a template of a page.
func (p pages[R]) create(a *call.Call, name string) error {
	if err := p.named(name); err != nil {
		return err
	}
	file, err := p.write(name)
	// A page somebody has written is never replaced.
	if there, ok := errors.AsType[*fs.PathError](err); ok && errors.Is(err, fs.ErrExist) {
		return failure.Usage(there.Path+" already exists", "edit it, or use another name")
	}
	if err != nil {
		return fmt.Errorf("write the %s %s: %w", p.is, name, err)
	}
	a.Out.Tell("Created " + file + ". Edit it, then " + p.then(name) + ".\n")
	return nil
}

// named refuses an invalid name of a page.
func (p pages[R]) named(name string) error {
	if page.CleanName(name) {
		return nil
	}
	return failure.Usage(fmt.Sprintf("%q is not a valid %s name", name, p.is),
		"use a lower-case letter, then lower-case letters, digits and dashes (at most 40)")
}

// origin names the origin of a page.
func origin(file string) string {
	if file != "" {
		return "yours"
	}
	return "built in"
}
