package call

import (
	"cmp"
	"os"
	"path/filepath"

	"github.com/socrates-cli/socrates/internal/build"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/log"
)

// checkLog validates the log flags. A file without a level means the usual one.
func (a *Call) checkLog(command string) error {
	a.Log.About = []any{"version", build.Version(), "command", command, "pid", os.Getpid()}
	if a.Log.File != "" {
		file, err := filepath.Abs(a.Log.File)
		if err == nil {
			_, err = os.Stat(filepath.Dir(file))
		}
		if err != nil {
			return failure.Usage("--log-file "+a.Log.File+": "+failure.Because(err), "")
		}
		a.Set(map[string]string{"log.file": file})
		a.Log.Level = cmp.Or(a.Log.Level, "info")
	}
	for _, f := range []struct{ name, value string }{{"level", a.Log.Level}, {"format", a.Log.Format}} {
		if err := OneOf("log-"+f.name, f.value, "log."+f.name); err != nil {
			return err
		}
		if f.value != "" {
			a.Set(map[string]string{"log." + f.name: f.value})
		}
	}
	return nil
}

// logging returns the log settings, including those of flags.
func (a *Call) logging() log.Wanted {
	l := log.Wanted{About: a.Log.About}
	if c, err := a.Home.Settings.Load(); err == nil {
		l.Level, l.Format, l.File = c.String("log.level"), c.String("log.format"), c.String("log.file")
	}
	return l
}

// LogNeedsFile returns an error if the log would go to the terminal that a full screen uses. A redrawn screen and a
// log on the same terminal destroy each other, so the screen refuses to start.
func (a *Call) LogNeedsFile() error {
	if _, err := a.Home.Settings.Load(); err != nil {
		return err
	}
	if l := a.logging(); l.Level != "off" && l.File == "" {
		return failure.Usage("the log would be drawn over the screen", "add --log-file FILE, or set log.file")
	}
	return nil
}
