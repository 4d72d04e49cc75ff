package work

import (
	"context"
	"fmt"
	"strings"

	"github.com/socrates-cli/socrates/internal/journal"
	"github.com/socrates-cli/socrates/internal/work/objection"
	"github.com/socrates-cli/socrates/internal/work/plan"
	"github.com/socrates-cli/socrates/internal/work/proof"
	"github.com/socrates-cli/socrates/internal/work/record"
)

// object has another model object to a change that is proved, once for each change. What it says counts only where it quotes the change:
// code looks whether the quote is there. The author is told; if tries are used up, a person decides.
// A quote that is not in the change is kept in the record and does not count: reviewers invent.
func (r *Run) object(ctx context.Context, t plan.Task, c record.Claim, tried record.Tried, v proof.Verdict) (proof.Verdict, error) {
	done, ok := journal.Recall(r.book, objection.Kind, tried.Key)
	if !ok {
		var err error
		if done, err = r.reviewed(ctx, t, c, tried, v); err != nil {
			return v, err
		}
	}
	for _, o := range done.Objections {
		if o.Found {
			v.State, v.Why = proof.Failed, append(v.Why, "a reviewer objects: "+o.String())
		}
	}
	if done.Failed != "" {
		v.State, v.Why = proof.Person, append(v.Why, "nobody could review it: "+done.Failed)
	}
	if v.State == proof.Failed && tried.Try > r.options.Retries {
		v.State = proof.Person
	}
	return v, nil
}

// reviewed has the reviewer read a proved change, and records the objections whose quotes are in it or not. A reviewer
// that fails objects to nothing, and that it failed is on record.
func (r *Run) reviewed(ctx context.Context, t plan.Task, c record.Claim, tried record.Tried, v proof.Verdict) (objection.Review, error) {
	done := objection.Review{Key: tried.Key, Task: t.ID, Commit: tried.Commit, By: r.reviewer(t)}
	patch, err := r.Space.Patch(ctx, c.Base, tried.Commit)
	if err != nil {
		return done, err
	}
	name := record.Conversation(r.frame.Run, c)
	rep, err := r.Review(ctx, Job{Run: r.frame.Run, Name: name + objection.End, Dir: r.Space.Place(name), Text: asked(r.plan, t, v, patch),
		Executor: done.By, Timeout: r.options.Timeout})
	if err != nil {
		return done, err
	}
	done.Failed, done.Usage = rep.Failed, rep.Usage
	done.Objections = objection.Read(rep.Said, patch)
	return done, r.hub.node(ctx, c, objection.Kind.New(r.root, done.By, done))
}

// asked is what a reviewer is told: the brief, the change and the checks, and not who made it.
// Who made the change is left out, so that a reviewer judges the change and not the model.
func asked(p plan.Plan, t plan.Task, v proof.Verdict, patch string) string {
	var b strings.Builder
	b.WriteString("# Review a change\n\nSomebody made the change below for this task. You see neither who it was nor what was said. ")
	b.WriteString("Look for what is wrong with it: where it does not do what the task says, or breaks what worked. ")
	b.WriteString("Read the files around it; your folder has them with the change applied. Style does not matter.\n\n")
	b.WriteString("Answer with a line for each objection, and nothing else:\n\n")
	b.WriteString("- objection: FILE:LINE `QUOTE` what goes wrong, and for which input\n\n")
	b.WriteString("QUOTE is copied letter by letter from one line of the change; without it the objection does not count. ")
	b.WriteString("If nothing is wrong, answer: none\n\n")
	b.WriteString(strings.Replace(brief(p, t), "# ", "# The task: ", 1))
	b.WriteString("\n## Results of the checks\n\n")
	for _, r := range v.Checks {
		fmt.Fprintf(&b, "- `%s`: %s; before: %s\n", strings.Join(r.Command, " "), r.After, r.Base)
	}
	b.WriteString("\n## The change\n\n" + fence(head(patch, 60_000)))
	return b.String()
}
