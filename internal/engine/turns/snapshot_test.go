package turns_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/asking"
	"github.com/socrates-cli/socrates/internal/talk/margin"
)

// broken puts a file where the snapshots of the office are kept, and returns what repairs it.
func (o *office) broken() (repair func()) {
	o.t.Helper()
	if err := os.WriteFile(o.home, nil, 0o600); err != nil {
		o.t.Fatal(err)
	}
	return func() { os.Remove(o.home) }
}

func notices(o *office) string {
	var all []string
	for _, n := range talk.NoticeKind.All(o.path()) {
		all = append(all, n.Text)
	}
	return strings.Join(all, "\n")
}

// Where no snapshot can be taken and nobody is there to ask, no command of a script changes a file, the turn goes on, and
// the conversation says why.
func TestNoSnapshotNoChange(t *testing.T) {
	o := newOffice(t, false)
	repair := o.broken()
	r := o.say("echo 2 > one || echo 3 > two; echo 4 > three")
	files := o.files()
	if files["one"] != "" || files["two"] != "" || files["three"] != "" || r.State != talk.Done {
		t.Errorf("%+v, files %v", r, files)
	}
	if text := notices(o); !strings.Contains(text, "nothing was changed, because no snapshot of "+o.dir+" can be taken") {
		t.Errorf("notices: %s", text)
	}
	_, err := o.Do(t.Context(), turns.Exec{Tree: "work", Command: "echo 2 > one", Mode: permission.Yolo})
	if err == nil {
		err = o.Wait(o.root)
	}
	if _, ok := errors.AsType[*turns.Unkept](err); !ok {
		t.Errorf("exec: %v", err)
	}
	repair()
	if o.say("echo 2 > one"); o.files()["one"] != "2\n" {
		t.Errorf("after the repair: %v", o.files())
	}
}

// Where files are not kept at all, changes are neither asked about nor noted.
func TestFilesThatAreNotKept(t *testing.T) {
	o := newOffice(t, false)
	o.unkept = true
	if r := o.say("echo 2 > one"); r.State != talk.Done || o.files()["one"] != "2\n" {
		t.Errorf("%+v, files %v", r, o.files())
	}
	for _, n := range o.path() {
		if n.Kind == "" || n.Kind == string(margin.SnapKind) || n.Kind == string(talk.NoticeKind) {
			t.Errorf("recorded: %q %s", n.Kind, n.Body)
		}
	}
}

// A person is asked once in a turn, and what they choose holds.
func TestPersonGoesOnWithoutSnapshot(t *testing.T) {
	for _, c := range []struct{ choice, file string }{{"continue without a snapshot", "3\n"}, {"stop here", ""}} {
		o := newOffice(t, true)
		o.broken()
		id, err := o.Do(t.Context(), turns.Say{Tree: "work", Text: "echo 2 > one\n\necho 3 > two", Model: "x", Mode: permission.Yolo})
		if err != nil {
			t.Fatal(err)
		}
		asked := 0
		for n, err := range o.Watch(t.Context(), id, o.Recorded(id)) {
			if err != nil {
				t.Fatal(err)
			}
			if n.Node == nil {
				continue
			}
			if need, ok := asking.NeedKind.Of(*n.Node); ok {
				asked++
				if need.Question == nil || !strings.Contains(need.Question.Text, "no snapshot") {
					t.Errorf("asked %+v", need)
				}
				if _, err := o.Do(t.Context(), turns.Answer{To: n.Node.ID, Choice: c.choice}); err != nil {
					t.Fatal(err)
				}
			}
		}
		if got := o.files()["two"]; got != c.file || asked == 0 || c.file != "" && asked != 1 {
			t.Errorf("%s: two is %q, asked %d times", c.choice, got, asked)
		}
		if r := o.reply(); r.State != talk.Done {
			t.Errorf("%s: %+v", c.choice, r)
		}
	}
}

// A program that nothing keeps from the project is not asked at all without a snapshot, and its turn ends as what it is.
func TestNoProgramWithoutSnapshot(t *testing.T) {
	o := newOffice(t, false)
	repair := o.broken()
	o.do(turns.Say{Tree: "work", Text: "write a.txt", Model: "free", Mode: permission.Yolo})
	if r := o.reply(); r.State != talk.Failed || r.Kind != turns.NoSnapshot {
		t.Errorf("%s (%s): %s", r.State, r.Kind, r.Reason)
	}
	repair()
	o.say("echo 1 > a.txt")
	o.do(turns.Say{Tree: "work", Text: "hello", Model: "free", Mode: permission.Yolo})
	if r := o.reply(); r.State != talk.Done {
		t.Errorf("after the repair: %s (%s): %s", r.State, r.Kind, r.Reason)
	}
}

// A command of the person's that is not allowed is an error that says so, and has no output.
func TestExecRefused(t *testing.T) {
	o := newOffice(t, false)
	id, err := o.Do(t.Context(), turns.Exec{Tree: "work", Command: "echo x > x", Mode: permission.Plan})
	if err == nil {
		err = o.Wait(id)
	}
	if _, missing := os.Stat(filepath.Join(o.dir, "x")); err == nil || !strings.Contains(err.Error(), "plan mode allows no changes") || missing == nil {
		t.Errorf("%v, %v", err, missing)
	}
}
