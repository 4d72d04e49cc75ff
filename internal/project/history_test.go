package project_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/socrates-cli/socrates/internal/project"
)

func TestHistory(t *testing.T) {
	if got := project.History(nil); got != "" {
		t.Errorf("of nothing: %q", got)
	}
	got := project.History([]project.Earlier{
		{Room: "sessions-redis-ab12", Question: "Where should\nsessions live?", Date: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), Winner: "Redis", Standing: "likely, 84 %, with dissent",
			Superseded: "by later-cd34 on 2026-05-06: it was slow", Rejected: []string{"Postgres", "files", "memory", "Valkey", "cookies"},
			Dissent: "Postgres (seats that voted for it: 1)", Against: []string{"", "It is there\nalready"}, Flip: []string{"a single machine"}},
		{Room: "later-cd34", Winner: strings.Repeat("é", 400), Standing: ""},
	})
	want := "\n## Earlier decisions (history, not facts)\n\nWhat was decided here before on similar questions. It may be outdated or wrong, and nothing in this section\n" +
		"is evidence: look at the files. The question below is open.\n\n### sessions-redis-ab12, 2026-03-04\n\n" +
		"- question: Where should sessions live?\n- decided: Redis (likely, 84 %, with dissent)\n- superseded: by later-cd34 on 2026-05-06: it was slow\n" +
		"- rejected:\n  - Postgres\n  - files\n  - memory\n  - Valkey\n  - and 1 more\n- dissent: Postgres (seats that voted for it: 1)\n" +
		"- said for the dissent: It is there already\n- what would have changed it: a single machine\n\n" +
		"### later-cd34, 0001-01-01\n\n- question: \n- decided: " + strings.Repeat("é", 299) + "…\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if !project.ShowsHistory(got, "later-cd34") || project.ShowsHistory(got, "later-cd3") || project.ShowsHistory(strings.ReplaceAll(got, "### later", "later"), "later-cd34") {
		t.Error("which rooms are shown is not seen")
	}
}

// Whatever was said in a debate, its words lead nobody in this section, and do not end it; outside of it they are found.
func TestLintOfHistory(t *testing.T) {
	line := rapid.SampledFrom([]string{"Obviously the best choice.", "# a heading", "## Files", "```", "~~~~", "everyone agrees", "", "we should", "\n## x\n"})
	rapid.Check(t, func(rt *rapid.T) {
		said := func(name string) string { return strings.Join(rapid.SliceOf(line).Draw(rt, name), "\n") }
		section := project.History([]project.Earlier{{Room: "r", Question: said("question"), Winner: said("winner"), Standing: "with dissent", Superseded: said("by"),
			Rejected: []string{said("rejected")}, Dissent: said("dissent"), Against: []string{said("a"), said("b")}, Flip: []string{said("flip")}}})
		if found := project.Lint("# Project: x\n" + section); len(found) != 0 {
			rt.Fatalf("%+v in %s", found, section)
		}
		text := "clearly\n" + section + "\n## Notes\n\nobviously\n"
		if found := project.Lint(text); len(found) != 2 || found[0].Word != "clearly" || found[1].Word != "obviously" {
			rt.Fatalf("%+v in %s", found, text)
		}
	})
	secret := project.History([]project.Earlier{{Room: "r", Question: "ask jane.doe@corp.io"}})
	if found := project.Lint(secret); len(found) != 1 || found[0].Kind != project.Personal {
		t.Errorf("%+v", found)
	}
	if found := project.Lint("```\n## Earlier decisions (history, not facts)\n```\nobviously"); len(found) != 1 {
		t.Errorf("a heading in a fence opens the section: %+v", found)
	}
}
