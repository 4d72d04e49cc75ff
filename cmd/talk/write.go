package talk

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/slash"
	"github.com/socrates-cli/socrates/internal/tool"
)

// write asks, and writes. If nobody can be asked, rules and mode decide as for a write of the agent. The person sees
// the beginning of the file; the end of input or anything but y leaves the disk unchanged.
func (c *chat) write(ctx context.Context, f slash.File) error {
	f.Text = c.a.Out.Clean(f.Text)
	if !c.person {
		if err := c.mayWrite(ctx, f.Path); err != nil {
			return err
		}
		return c.create(f)
	}
	c.view.put("", fmt.Sprintf("%s, %d lines:", f.Path, strings.Count(f.Text, "\n")))
	lines := strings.SplitAfter(f.Text, "\n")
	for _, l := range lines[:min(len(lines), 12)] {
		c.view.put("2", out.Fit(os.Stderr, "    "+strings.TrimRight(l, "\n")+"\n", "    "))
	}
	// Text typed before the file was on the screen is no answer.
	c.forget()
	ev := c.next("write this file? y/n: ", nil, nil)
	if answer := strings.ToLower(strings.TrimSpace(ev.text)); ev.kind != typedLine || answer != "y" && answer != "yes" {
		c.drop()
		c.view.put("", "Not written.")
		return nil
	}
	return c.create(f)
}

// A pipe cannot be asked, so only what rules allow without a question is written.
func (c *chat) mayWrite(ctx context.Context, path string) error {
	set, err := c.env.Settings(ctx)
	if err != nil {
		return err
	}
	p, err := c.a.Home.Gate.Policy(c.env.Dir, permission.Mode(cmp.Or(set["mode"], string(permission.Balanced))))
	if err != nil {
		return err
	}
	at := filepath.FromSlash(path)
	if !filepath.IsAbs(at) {
		at = filepath.Join(c.env.Dir, at)
	}
	if d := p.Judge("write", tool.Act{Effect: tool.Writes, Path: at, Text: path}); d.Verdict != permission.Allow {
		return failure.New(failure.ExitDenied, "denied", path+" was not written: it needs approval, but nobody can be asked: "+d.Reason,
			"see: socrates permission why")
	}
	return nil
}

// create writes a file that must not exist yet.
func (c *chat) create(f slash.File) error {
	if err := f.Create(c.env.Dir); err != nil {
		return err
	}
	c.view.put("", "Wrote "+f.Path)
	return nil
}
