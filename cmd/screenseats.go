package cmd

import (
	"context"
	"os"
	"strings"

	"github.com/socrates-cli/socrates/internal/tui"
)

// screenSeats are the seats there are and could be, with what signs in where something can.
func (a *app) screenSeats(ctx context.Context) ([]tui.Seat, error) {
	all, err := a.discover(ctx)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var out []tui.Seat
	for _, f := range all {
		s := tui.Seat{Spec: f.Spec, Model: f.Model, Lineage: f.Lineage, Why: f.Why, Source: f.Source, Ready: f.Ready, Used: f.Used}
		name, _, _ := strings.Cut(f.Spec, ":")
		switch {
		case f.Source == "key" && name == signsIn:
			s.SignIn, s.How = []string{self, "login", name}, "Enter signs in with the browser"
		case f.Source == "key":
			s.SignIn, s.How = []string{self, "login", name}, "Enter takes its key"
		case f.Source == "program" && f.Path != "":
			s.SignIn, s.How = []string{f.Path}, "Enter starts it, to sign in there"
		case f.Source == "program":
			s.How = "install it and sign in there, then look again"
		case f.Source == "local":
			s.How = "start it, then look again"
		}
		out = append(out, s)
	}
	return out, nil
}
