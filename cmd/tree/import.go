package tree

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/seat/scheme"
	"github.com/socrates-cli/socrates/internal/talk/archive"
	"github.com/socrates-cli/socrates/internal/transcript"
)

// importing holds the options of the command import.
type importing struct {
	*commands
	name, program string
	list, all     bool
}

// newImport returns the command import. Imported text is untrusted: it can name no command to run and no mode that
// asks less.
func newImport(a *commands) *cobra.Command {
	o := &importing{commands: a}
	c := &cobra.Command{Use: "import FILE | FOLDER | SESSION | -", Short: "Import conversations, also from other agents",
		Long: `Import a conversation that tree export wrote as json or jsonl, or a transcript of Claude Code,
Codex, Gemini CLI or pi: its messages, tool calls, results, models and times, with each rewound
part as a branch. Pictures, and reasoning that only its vendor can read, are left out.

--list shows the transcripts of conversations held in this folder; name one by its file or by its
session. A folder is searched for transcripts, and each becomes a conversation.

The conversation then belongs to this folder and can be continued. All of it counts as untrusted
text, so sending anything needs your approval. Its permission mode is at most balanced. If its model
is a command, that command is not run.`,
		Example: `  socrates tree import --list
  socrates tree import 459d7d11
  socrates tree import --program codex ~/.codex/sessions/2026
  socrates run --continue "Where were we?"`}
	c.Flags().StringVar(&o.name, "name", "", "new `name` (default: the exported one)")
	c.Flags().BoolVar(&o.list, "list", false, "list other agents' transcripts; words filter by title, session or folder")
	c.Flags().StringVar(&o.program, "program", "", "only transcripts of this `program`: "+strings.Join(transcript.Programs(), ", "))
	c.Flags().BoolVar(&o.all, "all", false, "include transcripts of all folders")
	c.RunE = func(c *cobra.Command, args []string) error {
		switch {
		case o.program != "" && !slices.Contains(transcript.Programs(), o.program):
			return failure.Usage("unknown program "+o.program, "use one of: "+strings.Join(transcript.Programs(), ", "))
		// Words after --list filter; without it one word names what is imported.
		case o.list:
			return o.found(args)
		case len(args) != 1:
			return failure.Usage("name one file, folder or session to import", "list transcripts: socrates tree import --list")
		}
		return o.bring(c.Context(), args[0])
	}
	return c
}

// look finds transcripts, of this folder or with --all of every folder.
func (o *importing) look() ([]transcript.Found, error) {
	dir, err := o.Home.Settings.Dir()
	if err != nil {
		return nil, err
	}
	if o.all {
		// An empty folder means all folders.
		dir = ""
	}
	folder, err := os.UserHomeDir()
	if err != nil {
		return nil, fmt.Errorf("finding the home folder: %w", err)
	}
	return slices.DeleteFunc(transcript.Find(os.Getenv, folder, dir), func(f transcript.Found) bool {
		return o.program != "" && f.Program != o.program
	}), nil
}

// found lists transcripts.
func (o *importing) found(words []string) error {
	all, err := o.look()
	if err != nil {
		return err
	}
	rows := []transcript.Found{}
	for _, f := range all {
		if out.Matches(strings.Join([]string{f.Program, f.Session, f.Dir, f.Title, f.File}, " "), words) {
			rows = append(rows, f)
		}
	}
	list := out.List[transcript.Found]{Rows: rows, Line: o.line, Then: "\nImport one: socrates tree import SESSION\n",
		None: "No transcripts of conversations in this folder. For all folders: socrates tree import --list --all\n"}
	if len(all) > 0 || o.all {
		// There are some, so none matches the words.
		list.None = "No transcript matches.\n"
	}
	return list.Write(o.Out)
}

// line is a transcript in the list, its title below.
func (o *importing) line(f transcript.Found) string {
	line := fmt.Sprintf("%-7s %-36s  %-12s", f.Program, f.Session, out.Ago(f.Changed))
	if o.all {
		line += "  " + f.Dir
	}
	return line + "\n        " + out.Clip(f.Title, out.Columns(os.Stdout)-9) + "\n"
}

// imported is the result of importing one file.
type imported struct {
	Tree     string `json:"tree"`
	Branch   string `json:"branch"`
	Head     string `json:"head"`
	Nodes    int    `json:"nodes"`
	Branches int    `json:"branches"`
	Program  string `json:"program,omitempty"`
	LeftOut  string `json:"left_out,omitempty"`
	File     string `json:"file"`
}

// bring imports what an argument names.
func (o *importing) bring(ctx context.Context, arg string) error {
	path, err := o.resolve(arg)
	if err != nil {
		return err
	}
	e, err := o.Open(ctx)
	if err != nil {
		return err
	}
	// Opening it later reports a file that does not exist.
	if info, err := os.Stat(path); path != "-" && err == nil && info.IsDir() {
		return o.folder(ctx, e, path)
	}
	one, sentence, err := o.file(ctx, e, path)
	if err != nil {
		return err
	}
	return o.Out.Done(one, sentence)
}

// resolve returns the file an argument means: an existing file, else the transcript of that session. A session needs
// four letters, so that a short word does not match by accident.
func (o *importing) resolve(arg string) (string, error) {
	if arg == "-" || call.Exists(arg) {
		return arg, nil
	}
	// A session is looked for everywhere: its id is unique.
	o.all = true
	all, err := o.look()
	if err != nil {
		return "", err
	}
	var hits []string
	for _, f := range all {
		if len(arg) >= 4 && (strings.HasPrefix(f.Session, arg) || strings.HasSuffix(f.Session, arg)) {
			hits = append(hits, f.File)
		}
	}
	switch len(hits) {
	case 0:
		return "", failure.Usage("no file, folder or session "+arg, "list transcripts: socrates tree import --list --all")
	case 1:
		return hits[0], nil
	}
	return "", failure.Usage(fmt.Sprintf("%d transcripts belong to session %s", len(hits), arg),
		"name the file: "+strings.Join(hits, " or "))
}

// folder imports each transcript below a folder. One that cannot be imported does not stop the others.
func (o *importing) folder(ctx context.Context, e *engine.Engine, path string) error {
	files, err := transcript.Files(path)
	if err != nil {
		return err
	}
	if o.name != "" {
		return failure.Usage("--name works for one conversation, but "+path+" is a folder", "leave --name out, or name a file")
	}
	done := []imported{}
	var sentences []string
	for _, file := range files {
		one, sentence, err := o.file(ctx, e, file)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		// With --program, transcripts of other programs are skipped on purpose.
		case errors.Is(err, errOther):
		case err != nil:
			// One damaged file among a hundred is no reason to stop.
			o.Out.Warn("not imported: " + failure.Because(err))
		default:
			done, sentences = append(done, one), append(sentences, sentence)
		}
	}
	if len(done) == 0 {
		return failure.New(failure.ExitUsage, "record", "nothing in "+path+" was imported",
			"list transcripts: socrates tree import --list --all")
	}
	return o.Out.Done(done, sentences...)
}

// errOther means that a transcript belongs to another program than the one asked for.
var errOther = errors.New("a transcript of another program")

// file imports a record or a transcript.
// Importing the same file again gives a second conversation with new ids.
func (o *importing) file(ctx context.Context, e *engine.Engine, path string) (one imported, sentence string, err error) {
	one.File = path
	r, err := o.read(path, &one)
	if err != nil {
		return one, "", err
	}
	dir, err := o.Home.Settings.Dir()
	if err != nil {
		return one, "", err
	}
	root, err := e.Do(ctx, conversation.Import{Record: r, Name: o.name, Dir: dir, Safe: safeSeat})
	if err != nil {
		return one, "", err
	}
	name := o.name
	if name == "" {
		name = r.Name
	}
	t, err := conversation.In(e).Open(ctx, name)
	if err != nil {
		return one, "", err
	}
	one.Tree, one.Branch, one.Head = t.Name, t.Branch, string(t.Head)
	one.Nodes, one.Branches = len(r.Nodes), len(r.Branches)
	sentence = fmt.Sprintf("Imported %s: %s", name, out.Count(len(r.Nodes), "node"))
	if n := len(r.Branches); n > 1 {
		sentence += fmt.Sprintf(", %d branches", n)
	}
	sentence += "."
	if one.LeftOut != "" {
		sentence += " Left out: " + one.LeftOut + "."
	}
	// Links contain ids, so it says when they could not be kept.
	if root != r.Nodes[0].ID {
		sentence += " Its nodes got new ids, because a conversation with the old ids exists here."
	}
	return one, sentence, nil
}

// read reads a file of either format. It recognizes the format by the first 200 bytes, so it can read a pipe as well.
func (o *importing) read(path string, one *imported) (archive.Record, error) {
	from, held := io.Reader(o.In), time.Now()
	if path != "-" {
		info, err := os.Stat(path)
		if err == nil && !info.Mode().IsRegular() { // a pipe might never open
			err = failure.Usage(path+" is not a regular file", "pipe the conversation in: socrates tree import -")
		}
		if err != nil {
			return archive.Record{}, err
		}
		f, err := os.Open(path)
		if err != nil {
			return archive.Record{}, err
		}
		defer f.Close()
		// Transcripts without times are dated by their file.
		from, held = f, info.ModTime()
	}
	in := bufio.NewReader(io.LimitReader(from, maxRecord))
	head, _ := in.Peek(200) // a short file is no error
	if bytes.Contains(head, []byte(`"socrates.tree/`)) {
		r, err := archive.Read(in)
		if bad := (*archive.Error)(nil); errors.As(err, &bad) {
			err = failure.New(failure.ExitUsage, "record", path+": "+bad.Message, bad.Hint)
		}
		return r, err
	}
	c, err := transcript.Read(in, held)
	switch {
	// Neither our format nor that of a known program.
	case errors.Is(err, transcript.ErrForeign):
		return c.Record, failure.New(failure.ExitUsage, "record", path+": not an exported conversation and "+err.Error(),
			"export one with: socrates tree export --format json; list transcripts: socrates tree import --list")
	case err == nil && o.program != "" && c.Program != o.program:
		return c.Record, errOther
	}
	one.Program, one.LeftOut = c.Program, c.Left()
	return c.Record, err
}

// safeSeat reports whether a spec from elsewhere starts no command of its choice. A seat that is a command line would
// run it with the next turn.
func safeSeat(spec string) bool {
	return !scheme.Of(spec).Command
}

// maxRecord limits the size of a record, in bytes. A record holds everything verbatim; that of a long debate over
// large files has tens of megabytes.
const maxRecord = 1 << 30
