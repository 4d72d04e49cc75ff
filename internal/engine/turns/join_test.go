package turns_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/view"
)

// A job that fetches is recorded while turns go on and between them: it is not refused for what it fetched itself, ends no turn, and
// what it brought is known to the turns that follow.
func TestJobsJoinTheBranch(t *testing.T) {
	o := newOffice(t, false)
	o.say("job " + strings.TrimSuffix(strings.Repeat("curl http://127.0.0.1:1/ || echo no >> tried; ", 20), "; "))
	for _, text := range []string{"echo one", "echo two", "say three"} {
		if r := o.say(text); r.State != talk.Done {
			t.Fatalf("%s: %s: %s", text, r.State, r.Reason)
		}
	}
	o.say("look")
	if n := o.tried(); n != 20 {
		t.Errorf("%d of 20 commands of the job ran", n)
	}
	o.say("say four")
	if !view.Strangers(o.path()) {
		t.Error("what the job brought is not known on the branch")
	}
	for _, r := range talk.ReplyKind.All(o.path()) {
		if r.State != talk.Done {
			t.Errorf("%s: %s", r.State, r.Reason)
		}
	}
	for _, j := range talk.JudgeKind.All(o.path()) {
		if j.Verdict != string(permission.Allow) {
			t.Errorf("%s: %s", j.Verdict, j.Reason)
		}
	}
}

func (o *office) tried() int {
	raw, err := os.ReadFile(filepath.Join(o.dir, "tried"))
	if err != nil {
		return 0
	}
	return strings.Count(string(raw), "\n")
}

// What a job sends that nobody knew when it was let start is decided by what was read by then, also after its turn; what was known
// goes on.
func TestJobsAfterStrangers(t *testing.T) {
	o := newOffice(t, false)
	if err := os.WriteFile(filepath.Join(o.dir, "word"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	o.say("job until test -e go; do sleep 0.01; done; curl http://127.0.0.1:1/ || echo known >> tried; curl http://127.0.0.1:1/$(cat word) || echo unknown >> tried; echo end >> tried")
	o.say("curl http://127.0.0.1:1/stranger")
	o.say("touch go")
	o.say("look")
	raw, _ := os.ReadFile(filepath.Join(o.dir, "tried"))
	if string(raw) != "known\n" {
		t.Errorf("the job went on to %q", raw)
	}
}

// What a job brings that nobody could foresee when it was let start is known to the turn that runs then, and if none does to the next.
func TestWhatAJobBrings(t *testing.T) {
	begin := func() *office {
		o := newOffice(t, false)
		for name, text := range map[string]string{"page": "stranger", "word": "page"} {
			if err := os.WriteFile(filepath.Join(o.dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		o.fetched = []string{filepath.Join(o.dir, "page")}
		o.say("job until test -e go; do sleep 0.01; done; cat $(cat word); echo end >> tried")
		if view.Strangers(o.path()) {
			t.Fatal("the job brings something before it has begun")
		}
		return o
	}
	o := begin()
	o.say("touch go; until test -e tried; do sleep 0.01; done\n\ngit push x || echo sent >> sent")
	if _, sent := o.files()["sent"]; sent || !view.Strangers(o.path()) {
		t.Error("the turn that runs does not know it")
	}
	o = begin()
	if err := os.WriteFile(filepath.Join(o.dir, "go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for o.tried() == 0 {
		time.Sleep(time.Millisecond)
	}
	o.say("git push x || echo sent >> sent")
	if _, sent := o.files()["sent"]; sent || !view.Strangers(o.path()) {
		t.Error("the turn that comes next does not know it")
	}
}

// A job is held by what a later turn has read, too: what it sends itself brings nothing.
func TestJobsKnowWhatWasReadLater(t *testing.T) {
	o := newOffice(t, false)
	if err := os.WriteFile(filepath.Join(o.dir, "word"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	o.say("job until test -e go; do sleep 0.01; done; git push $(cat word) || echo sent >> tried")
	o.say("curl http://127.0.0.1:1/stranger")
	o.say("touch go")
	o.say("look")
	if n := o.tried(); n != 0 {
		t.Error("the job sent something after strangers' text was read")
	}
}
