package work_test

import (
	"fmt"
	"os/exec"
)

func run(dir string, args ...string) error {
	cmd := exec.Command("git", append([]string{"-c", "user.name=x", "-c", "user.email=x@example.org"}, args...)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %v: %w: %s", args, err, out)
	}
	return nil
}

// initIn makes a repository with a commit inside of a workspace.
func initIn(name string) func(string) error {
	return func(dir string) error {
		if err := run(dir, "init", "-q", name); err != nil {
			return err
		}
		if err := puts(name+"/hidden", "x")(dir); err != nil {
			return err
		}
		if err := run(dir+"/"+name, "add", "-A"); err != nil {
			return err
		}
		return run(dir+"/"+name, "commit", "-q", "-m", "hidden")
	}
}

// unchanged tells the workspace's own git to look away from a file.
func unchanged(name string) func(string) error {
	return func(dir string) error { return run(dir, "update-index", "--assume-unchanged", name) }
}

// commits commits to another branch, past every hook.
func commits(dir string) error {
	if err := run(dir, "checkout", "-q", "-b", "elsewhere"); err != nil {
		return err
	}
	return run(dir, "commit", "-q", "--no-verify", "-a", "-m", "done")
}
