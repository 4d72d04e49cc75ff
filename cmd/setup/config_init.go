package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/config/setting"
	"github.com/socrates-cli/socrates/internal/failure"
)

// newConfigInit is the command config init. It never replaces a file.
func newConfigInit(a *call.Call) *cobra.Command {
	return &cobra.Command{Use: "init", Short: "Write a config file with every setting commented out", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return writeConfig(a) }}
}

// writeConfig writes the config file, unless one exists. Settings that are commented out cannot go stale: a default
// that changes later still applies.
func writeConfig(a *call.Call) error {
	file, err := a.Home.Settings.File()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	// Readable by the person alone: it may contain keys.
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return failure.Usage(file+" already exists", "change it with: socrates config set KEY VALUE")
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(commented())
	if err = errors.Join(err, f.Close()); err == nil {
		a.Out.Tell("Wrote " + file + ".\n")
	}
	return err
}

// commented returns a config file that sets nothing and documents every setting.
func commented() string {
	var b strings.Builder
	b.WriteString("# Settings of socrates. Remove the # before a key to set it; the value shown is the default.\n" +
		"# Check them: socrates config\n")
	for _, s := range setting.All() {
		if strings.HasPrefix(s.Key, "presets.") { // a preset can set each of the others
			continue
		}
		fmt.Fprintf(&b, "\n# %s\n", s.Doc)
		if len(s.Choices) > 0 {
			fmt.Fprintf(&b, "# One of: %s\n", strings.Join(s.Choices, ", "))
		}
		value := s.Default
		switch {
		case s.Type == setting.List:
			value = "[" + value + "]"
		case value == "":
			value = `""`
		}
		fmt.Fprintf(&b, "# %s: %s\n", s.Key, value)
	}
	return b.String()
}
