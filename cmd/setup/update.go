package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/build"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/release"
	"github.com/socrates-cli/socrates/internal/update"
)

// newUpdate returns the command update. It exits with 0 if nothing is newer, and with 1 if the program cannot or may
// not replace itself, which leaves it unchanged.
func newUpdate(a *call.Call) *cobra.Command {
	var check, back bool
	c := &cobra.Command{Use: "update [VERSION]", Short: "Update this program, or go back to the previous one",
		Long: `Replace this program with the newest release, or with VERSION, and keep the old one for --rollback.
socrates-hub, the program for hub and worker, is replaced with it.
This works only if the install script installed the program. If a package manager or go install did,
its update command is printed instead.

The archive must have the SHA-256 that the release lists, and both programs must start; otherwise
nothing changes. Releases come from update.url, over https. Nothing is ever checked or downloaded
unless you run this command.`,
		Example: `  socrates update --check
  socrates update
  socrates update --rollback`,
		Args: cobra.MaximumNArgs(1), RunE: func(c *cobra.Command, args []string) error {
			ctx, stop := a.Ended(c.Context())
			defer stop()
			version := ""
			if len(args) == 1 {
				version = strings.TrimPrefix(args[0], "v")
			}
			switch {
			case back && (check || version != ""):
				return failure.Usage("--rollback cannot be combined with a version or --check", "see: socrates update --help")
			case check:
				return checkUpdate(ctx, a, version)
			case back:
				return rollBack(ctx, a)
			}
			return doUpdate(ctx, a, version)
		}}
	c.Flags().BoolVar(&check, "check", false, "only check whether a newer version exists")
	c.Flags().BoolVar(&back, "rollback", false, "go back to the version before the last update")
	return c
}

// self returns the resolved path of this program, and how it was installed.
func self() (string, update.Way, error) {
	path, err := os.Executable()
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return "", update.Way{}, fmt.Errorf("cannot find this program's own file: %w", err)
	}
	return path, update.How(path, build.Installed()), nil
}

// noUpdate returns the error of an update that was not made: exit code 1, and nothing changed.
func noUpdate(message, hint string) error {
	return failure.New(failure.ExitFailed, "update", message, hint)
}

// ours returns this program, if it may replace itself. Replacing a file that a package manager owns would be undone
// by its next upgrade, or break it.
func ours() (update.Program, error) {
	path, way, err := self()
	switch {
	case err != nil:
		return update.Program{}, err
	case way.Name == "script":
		return update.Program{Path: path}, nil
	case way.Name == "":
		return update.Program{}, noUpdate(path+" was not installed by the install script, so it is not updated",
			"build it again, or install a release: "+release.Address+"/latest")
	}
	return update.Program{}, noUpdate("this program was installed by "+way.Name+", which also updates it", "run: "+way.Command)
}

// version empty: the newest release.
func findUpdate(ctx context.Context, a *call.Call, version string) (update.Source, update.Found, error) {
	cfg, err := a.Home.Settings.Load()
	if err != nil {
		return update.Source{}, update.Found{}, err
	}
	target, ok := release.Of(runtime.GOOS, runtime.GOARCH)
	if !ok {
		return update.Source{}, update.Found{}, noUpdate("there is no build for "+runtime.GOOS+"/"+runtime.GOARCH,
			"run: go install "+release.Module+"@latest")
	}
	s := update.Source{Address: cmp.Or(cfg.String("update.url"), release.Address), Target: target}
	f, err := s.Find(ctx, version)
	if err != nil && ctx.Err() == nil {
		err = noUpdate("cannot check for updates: "+failure.Because(err), "check the network and update.url; releases: "+release.Address)
	}
	return s, f, err
}

// updated is the output of update for programs.
type updated struct {
	Current string `json:"current"`
	Latest  string `json:"latest,omitempty"` // or the version that was asked for
	Newer   bool   `json:"newer"`
	Changed bool   `json:"changed"`
	Way     string `json:"installed_by,omitempty"`
}

// tellUpdate prints the object for a program or the text for a person.
func tellUpdate(a *call.Call, u updated, text string) error {
	if _, way, err := self(); err == nil {
		u.Way = way.Name
	}
	if a.Out.Format != "text" {
		return a.Out.JSON(u)
	}
	_, err := fmt.Fprintln(a.Out, text)
	return err
}

// checkUpdate changes nothing. A newer version is no failure.
func checkUpdate(ctx context.Context, a *call.Call, version string) error {
	_, f, err := findUpdate(ctx, a, version)
	if err != nil {
		return err
	}
	u := updated{Current: build.Version(), Latest: f.Version, Newer: update.Newer(f.Version, build.Version())}
	if !u.Newer {
		say := "socrates " + u.Current + " is up to date"
		if u.Current != f.Version {
			say += "; the newest release is " + f.Version
		}
		return tellUpdate(a, u, say)
	}
	how := "socrates update"
	if _, way, err := self(); err == nil && way.Command != "" {
		how = way.Command
	}
	return tellUpdate(a, u, "socrates "+f.Version+" is available (installed: "+u.Current+")\nupdate: "+how)
}

// A named version may be older than this one; newer decides only without a name.
func doUpdate(ctx context.Context, a *call.Call, version string) error {
	p, err := ours()
	if err != nil {
		return err
	}
	s, f, err := findUpdate(ctx, a, version)
	if err != nil {
		return err
	}
	u := updated{Current: build.Version(), Latest: f.Version, Newer: update.Newer(f.Version, build.Version())}
	if f.Version == u.Current || version == "" && !u.Newer {
		return tellUpdate(a, u, "socrates "+u.Current+" is up to date")
	}
	a.Out.Tell("Downloading socrates " + f.Version + "…\n")
	if err := p.Update(ctx, s, f); err != nil {
		return notReplaced(ctx, p, err)
	}
	u.Changed = true
	return tellUpdate(a, u, "Updated "+p.Path+" from "+u.Current+" to "+f.Version+"\nundo: socrates update --rollback")
}

// rollBack restores the program that the last update saved. Doing it again reverses it.
func rollBack(ctx context.Context, a *call.Call) error {
	p, err := ours()
	if err != nil {
		return err
	}
	version, err := p.Rollback(ctx)
	if errors.Is(err, update.ErrNoPrevious) {
		return noUpdate("there is no previous version to go back to", "for a specific version: socrates update VERSION")
	}
	if err != nil {
		return notReplaced(ctx, p, err)
	}
	return tellUpdate(a, updated{Current: build.Version(), Latest: version, Changed: true},
		"Replaced "+build.Version()+" with the previous version, "+version+"\nundo: socrates update --rollback")
}

// notReplaced returns the error that nothing was changed, and why. Both programs are files beside each other until
// the rename, so a failure at any moment leaves the old one whole.
func notReplaced(ctx context.Context, p update.Program, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	hint := "try again; if it fails twice, report it: https://" + release.Module + "/issues"
	if errors.Is(err, fs.ErrPermission) {
		hint = "only the owner of " + filepath.Dir(p.Path) + " can update it"
	}
	return noUpdate("not updated: "+failure.Because(err), hint)
}
