package cmd

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"time"

	"github.com/spf13/cobra"
)

// finding is one thing doctor looked at.
type finding struct {
	Name string `json:"name"`
	OK   bool   `json:"ok"`
	Must bool   `json:"must"` // without it nothing works
	Say  string `json:"say"`
	Hint string `json:"hint,omitempty"`
}

func newDoctor(a *app) *cobra.Command {
	var asJSON, try bool
	c := &cobra.Command{Use: "doctor", Short: "Look whether everything works, and say what to do where it does not", Args: cobra.NoArgs}
	c.Flags().BoolVar(&asJSON, "json", false, "the same as --output json")
	c.Flags().BoolVar(&try, "try", false, "also ask every ready seat one thing; this costs a little")
	c.RunE = func(c *cobra.Command, _ []string) error {
		all := a.examine(c.Context(), try)
		bad := false
		for _, f := range all {
			bad = bad || f.Must && !f.OK
		}
		if asJSON || a.format != "text" {
			if err := a.printJSON(map[string]any{"ok": !bad, "findings": all}); err != nil {
				return err
			}
		} else {
			for _, f := range all {
				mark := "ok  "
				if !f.OK {
					mark = "note"
					if f.Must {
						mark = "BAD "
					}
				}
				fmt.Fprintf(a.out, "%s  %-12s %s\n", mark, f.Name, f.Say)
				if !f.OK && f.Hint != "" {
					fmt.Fprintf(a.out, "      %s\n", f.Hint)
				}
			}
		}
		if bad {
			return &failure{exitFailed, "doctor", "something is wrong; see above", ""}
		}
		return nil
	}
	return c
}

func (a *app) examine(ctx context.Context, try bool) []finding {
	out := []finding{{Name: "program", OK: true, Say: fmt.Sprintf("socrates %s, %s/%s, %s", Version(), runtime.GOOS, runtime.GOARCH, runtime.Version())}}
	git := finding{Name: "git", Hint: "install git: seats then see history, and checks run in a copy of the work tree"}
	if v, err := exec.CommandContext(ctx, "git", "--version").Output(); err == nil {
		git.OK, git.Say = true, string(trimLine(v))
	} else {
		git.Say = "not installed"
	}
	out = append(out, git, a.examineConfig(), a.examineStore(ctx))
	seats, err := a.discover(ctx)
	if err != nil {
		return append(out, finding{Name: "seats", Must: true, Say: err.Error()})
	}
	versions(ctx, seats)
	lineages := map[string]bool{}
	for _, s := range seats {
		if s.Used && s.Source != rehearsalSpec {
			lineages[s.Lineage] = true
		}
		if s.Source != rehearsalSpec && (s.Ready || s.Source == "config" || s.Path != "") {
			out = append(out, a.examineSeat(ctx, s, try))
		}
	}
	panel := finding{Name: "panel", OK: len(lineages) > 1, Hint: "sign in to one more program, set a key, or start a local model: independent lineages are what makes a panel worth its price"}
	panel.Say = fmt.Sprintf("%d lineages would sit", len(lineages))
	if len(lineages) == 0 {
		panel.Say = "no model is there; debates are rehearsals"
	}
	return append(out, panel)
}

func (a *app) examineConfig() finding {
	f := finding{Name: "config", Must: true}
	file, err := a.userFile()
	if err == nil {
		_, err = a.settings()
	}
	if err != nil {
		f.Say = err.Error()
		return f
	}
	f.OK, f.Say = true, file
	if !exists(file) {
		f.Say += " (not there; built-in values count)"
	}
	return f
}

func (a *app) examineStore(ctx context.Context) finding {
	f := finding{Name: "store", Must: true}
	if _, err := a.open(ctx); err != nil {
		e := explain(err)
		f.Say, f.Hint = e.message, e.hint
		return f
	}
	f.OK, f.Say = true, a.store.File()
	if info, err := os.Stat(a.store.File()); err == nil {
		f.Say += fmt.Sprintf(" (%d kB)", info.Size()>>10)
		if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
			f.OK, f.Must, f.Hint = false, false, "others can read it: chmod 600 "+a.store.File()
		}
	}
	return f
}

func (a *app) examineSeat(ctx context.Context, s found, try bool) finding {
	f := finding{Name: s.Spec, OK: s.Ready, Say: s.Why, Hint: "sign in, or leave it"}
	if s.Version != "" {
		f.Say += "; version " + s.Version
	}
	if !try || !s.Ready {
		return f
	}
	t, err := a.try(ctx, s.Spec, "Say hello in one short sentence.", time.Minute)
	if err != nil {
		f.OK, f.Say, f.Hint = false, err.Error(), ""
		return f
	}
	f.Say += fmt.Sprintf("; answered in %s, %s", seconds(time.Duration(t.MS)*time.Millisecond), money(t.Usage))
	return f
}

func trimLine(b []byte) []byte {
	for len(b) > 0 && (b[len(b)-1] == '\n' || b[len(b)-1] == '\r') {
		b = b[:len(b)-1]
	}
	return b
}
