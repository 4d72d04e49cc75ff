package evidence

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/scratch"
)

// bounds limits the copy of a folder that is not a repository.
var bounds = git.Limits{Files: 50_000, Bytes: 1 << 30}

// command runs an allowed command in a copy of the project and reports whether it had the expected result. The first control runs the
// same command in an empty folder: the same result there says little about the project. The second runs in the copy after the fact
// that the claim names was made false, if its files have it: it measures whether such checks notice, and settles nothing by itself.
func (l *Looker) command(ctx context.Context, claim string, e verdict.Evidence) (debate.Observation, error) {
	passes, err := expectation(e.Expect)
	if err != nil {
		return debate.Observation{}, err
	}
	if err := l.Danger.Allowed(l.Commands, e.Command); err != nil {
		return debate.Observation{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	b, err := l.bench(ctx, e.Command)
	if err != nil {
		return debate.Observation{}, err
	}
	defer b.clear()
	got, err := b.run(ctx, b.dir)
	if err != nil {
		return debate.Observation{}, fmt.Errorf("%s proves nothing: %w", e.Command[0], err)
	}
	if absent := absent(l.Dir, b.dir); got.code != 0 && len(absent) > 0 {
		return debate.Observation{}, fmt.Errorf("it ended with status %d, but without %s, which git ignores and the copy it ran in lacks",
			got.code, strings.Join(absent, " and "))
	}
	o := debate.Observation{Result: verdict.Fail, Grade: verdict.Executed, Detail: fmt.Sprintf("it ended with status %d", got.code),
		Proof: verdict.Proof{SHA256: got.sum}}
	if passes == (got.code == 0) {
		o.Result = verdict.Pass
	}
	o.Lines = transcript(e.Command, got)
	if end := ending(got.output); end != "" {
		o.Detail += ": " + end
	}
	if l.Uncontrolled {
		return o, nil
	}
	control, err := b.run(ctx, b.empty)
	if err != nil {
		o.Control = clean.Line("none: in an empty folder " + err.Error())
		return o, nil
	}
	o.Same = (control.code == 0) == (got.code == 0)
	o.Control = fmt.Sprintf("otherwise in an empty folder: status %d", control.code)
	if o.Same {
		o.Control = "the same in an empty folder"
	}
	o.Trials = []verdict.Trial{{Grade: verdict.Executed, Good: false, Passed: passes == (control.code == 0)}}
	fact, err := breakFact(b.dir, claim)
	if err != nil || fact == "" {
		return o, nil
	}
	if control, err = b.run(ctx, b.dir); err == nil {
		o.Control += clean.Line(fmt.Sprintf("; with %s in the copy: status %d", fact, control.code))
		o.Trials = append(o.Trials, verdict.Trial{Grade: verdict.Executed, Good: true, Passed: o.Result == verdict.Pass},
			verdict.Trial{Grade: verdict.Executed, Good: false, Passed: passes == (control.code == 0)})
	}
	return o, nil
}

// expectation reports whether a command should pass.
func expectation(expect string) (passes bool, err error) {
	switch strings.ToLower(strings.TrimSpace(expect)) {
	case "", verdict.Pass:
		return true, nil
	case verdict.Fail:
		return false, nil
	}
	return false, errors.New("the claim does not say whether the command should pass or fail")
}

// bench has the folders and settings in which one command runs.
type bench struct {
	argv       []string
	program    string
	env        []string
	dir, empty string // the copy of the project; an empty folder of the same name
	timeout    time.Duration
	output     int
	clear      func() // removes everything
}

// bench copies the project as it is now and makes a home for one command. The caller holds mu.
func (l *Looker) bench(ctx context.Context, argv []string) (b bench, err error) {
	project, copyProject := l.project()
	path := searchPath(project)
	b = bench{argv: argv, timeout: l.Timeout, output: l.Output}
	if b.timeout <= 0 {
		b.timeout = 2 * time.Minute
	}
	if b.output <= 0 {
		b.output = 32 << 10
	}
	if b.program, err = locate(path, argv); err != nil {
		return b, err
	}
	var remove func() error
	if b.dir, remove, err = copyProject(ctx); err != nil {
		return b, err
	}
	scrap, err := scratch.New("check")
	if err != nil {
		return b, errors.Join(fmt.Errorf("making a folder for the command: %w", err), remove())
	}
	private := scrap.Path
	home, temp := filepath.Join(private, "home"), filepath.Join(private, "temp")
	b.empty = filepath.Join(private, "empty", filepath.Base(b.dir))
	b.env = environment(path, home, temp)
	b.clear = func() {
		l.discard(remove)
		l.discard(scrap.Remove)
	}
	err = errors.Join(os.Mkdir(home, 0o700), os.Mkdir(temp, 0o700), os.MkdirAll(b.empty, 0o700))
	if err != nil {
		b.clear()
		return b, fmt.Errorf("making a folder for the command: %w", err)
	}
	return b, nil
}

// project returns the real path of the project, or of its repository's work tree, and a function that copies it.
func (l *Looker) project() (dir string, copied func(context.Context) (string, func() error, error)) {
	limits := git.Limits{}
	repo, err := git.Open(l.Dir)
	if dir = repo.Top(); err != nil {
		limits = bounds
		if dir, err = filepath.EvalSymlinks(l.Dir); err == nil {
			dir, err = filepath.Abs(dir)
		}
	}
	return dir, func(ctx context.Context) (string, func() error, error) {
		if err != nil {
			return "", nil, fmt.Errorf("copying the folder: %w", err)
		}
		copies, err := git.Copies(ctx, l.Dir, 1, limits, nil)
		if err != nil {
			return "", nil, err
		}
		return copies[0].Dir, copies[0].Remove, nil
	}
}

// run runs the command in dir. An error says why the run shows nothing.
func (b bench) run(ctx context.Context, dir string) (outcome, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, b.timeout, fmt.Errorf("it took longer than %v", b.timeout))
	defer cancel()
	cmd := exec.CommandContext(ctx, b.program, b.argv[1:]...)
	cmd.Dir, cmd.Env = dir, b.env
	return run(ctx, cmd, b.output)
}

// absent names folders of dependencies that the project has and its copy lacks.
func absent(project, copied string) []string {
	var names []string
	for _, name := range []string{"node_modules", ".venv", "venv", "vendor", "deps", "Pods"} {
		info, err := os.Stat(filepath.Join(project, name))
		if err != nil || !info.IsDir() {
			continue
		}
		if _, err := os.Lstat(filepath.Join(copied, name)); errors.Is(err, fs.ErrNotExist) {
			names = append(names, name)
		}
	}
	return names
}

// transcript returns what a judge reads about a command: its arguments, the last lines it printed, and its status.
func transcript(argv []string, got outcome) string {
	const most = 4000
	said := strings.TrimRight(clean.Text(got.output), "\n")
	if len(said) > most {
		said = "…" + said[runeStart(said, len(said)-most):]
	}
	if said != "" {
		said += "\n"
	}
	return fmt.Sprintf("$ %s\n%sstatus %d\n", clean.Line(strings.Join(argv, " ")), said, got.code)
}

// ending returns the last lines that a command printed, on one line.
func ending(output string) string {
	const size = 200
	var lines []string
	for line := range strings.Lines(clean.Text(output)) {
		if line = squeeze(line); line != "" {
			lines = append(lines, line)
		}
	}
	said := strings.Join(lines[max(0, len(lines)-4):], " | ")
	if len(said) > size {
		from := runeStart(said, len(said)-size)
		return "…" + said[from:]
	}
	return said
}
