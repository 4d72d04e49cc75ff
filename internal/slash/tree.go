package slash

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/outline"
	"github.com/socrates-cli/socrates/internal/talk/told"
	"github.com/socrates-cli/socrates/internal/talk/view"
	"github.com/socrates-cli/socrates/internal/tree"
)

// nodeHelp explains how to name a node.
const nodeHelp = "NODE is a branch, a label, the id before a line of /tree, HEAD, or HEAD~2 (two turns back)."

// trees are the commands that navigate the tree of a conversation.
func trees() []Command {
	return []Command{
		{Name: "tree", Doc: "show all branches", Run: solo("tree", draw)},
		{Name: "fork", Args: "[NAME [NODE]] [--files]", Doc: "fork here or at NODE; --files restores files", More: nodeHelp,
			Like: []string{"branch"}, Run: fork},
		{Name: "back", Args: "[N | NODE] [--files]", Doc: "step back N turns (default 1); --files also reverts files",
			More: nodeHelp + " Later turns stay in the tree.",
			Like: []string{"rewind"}, Complete: every(nodeNames), Run: back},
		{Name: "branches", Args: "[here]", Doc: "list the branches, or those containing this node", Run: branches},
		{Name: "switch", Args: "BRANCH [--files]", Doc: "switch to a branch; --files also restores its files",
			More: "A NODE that is not the end of a branch starts a new branch. " + nodeHelp, Like: []string{"checkout"},
			Complete: every(branchNames), Run: switchTo},
		{Name: "leaves", Doc: "list leaf nodes, including abandoned ones", Run: solo("leaves", leaves)},
		{Name: "label", Args: "NAME [NODE]", Doc: "label this node or another", More: nodeHelp, Run: label},
		{Name: "diff", Args: "[A [B]]", Doc: "file changes since A, or since the conversation began",
			More:     "B defaults to HEAD. With nodes of two branches it also shows their messages. " + nodeHelp,
			Complete: every(nodeNames), Run: diff},
		{Name: "merge", Args: "BRANCH [TEXT]", Doc: "merge a branch's last answer, or TEXT", Complete: first(branchNames), Run: merge},
		{Name: "rename", Args: "TITLE", Doc: "rename the conversation", Run: rename},
		{Name: "search", Args: "WORDS", Doc: "search what was said in this folder's conversations", Run: search},
		{Name: "undo", Doc: "revert the last turn's file changes", Like: []string{"checkpoint", "rewind", "restore", "rollback", "git"},
			Run: solo("undo", undo)},
		{Name: "redo", Doc: "redo the last file revert (/undo, or --files)",
			More: "Your own edits to those files come back too.", Run: solo("redo", redo)},
	}
}

// solo makes a command refuse arguments: whoever types some means another command.
func solo(name string, run func(context.Context, *Env, string) (Effect, error)) func(context.Context, *Env, string) (Effect, error) {
	return func(ctx context.Context, env *Env, args string) (Effect, error) {
		if args != "" {
			return Effect{}, &engine.Refusal{Message: fmt.Sprintf("/%s takes no arguments: %s", name, args), Hint: "list commands: /help"}
		}
		return run(ctx, env, args)
	}
}

// every completes every word after a command.
func every(words func(context.Context, *Env) []string) func(context.Context, *Env, []string) []string {
	return func(ctx context.Context, env *Env, _ []string) []string { return words(ctx, env) }
}

// branchNames returns the branches of the conversation; none before it has begun.
func branchNames(ctx context.Context, env *Env) (out []string) {
	t, _, err := env.open(ctx)
	if err != nil || env.Tree == "" {
		return nil
	}
	all, _ := conversation.In(env.Engine).Branches(ctx, t)
	for _, b := range all {
		out = append(out, b.Name)
	}
	return out
}

// nodeNames returns names of nodes that need no lookup.
func nodeNames(ctx context.Context, env *Env) []string {
	return append(branchNames(ctx, env), "HEAD", "HEAD~1", "--files")
}

// mostLines is how many lines of a long conversation are drawn, and mostNodes how many nodes are read for that:
// many nodes have no line.
const mostLines, mostNodes = 300, 2000

// draw draws the tree, or the end of a long one. Heads and labels are in brackets after the line that contains
// their node: a line may hold several nodes.
func draw(ctx context.Context, env *Env, _ string) (Effect, error) {
	t, _, err := env.begun(ctx)
	if err != nil {
		return Effect{}, err
	}
	nodes, count, err := conversation.In(env.Engine).LastNodes(ctx, t, mostNodes)
	if err != nil {
		return Effect{}, err
	}
	all, err := conversation.In(env.Engine).Branches(ctx, t)
	if err != nil {
		return Effect{}, err
	}
	labels, err := conversation.In(env.Engine).Labels(ctx, t)
	if err != nil {
		return Effect{}, err
	}
	var b strings.Builder
	lines := outline.Of(nodes)
	if count > len(nodes) || len(lines) > mostLines {
		lines = lines[max(0, len(lines)-mostLines):]
		fmt.Fprintf(&b, "earlier nodes are not shown; all %d: socrates tree show %s --limit 0\n", count, t.Name)
	}
	for _, l := range lines {
		text := l.Text
		if l.Cut {
			text = "…" + text
		}
		if l.Role != "" {
			text = l.Role + ": " + text
		}
		var heads []string
		for _, branch := range all {
			if slices.Contains(l.Holds, branch.Head) {
				heads = append(heads, branch.Name)
				if branch.Current {
					heads[len(heads)-1] += ", you are here"
				}
			}
		}
		for _, label := range labels {
			if slices.Contains(l.Holds, label.Head) {
				heads = append(heads, "#"+label.Name)
			}
		}
		b.WriteString(env.fit(short(l.Node)+" "+l.Rails+text, strings.Join(heads, "; ")) + "\n")
	}
	return Effect{Text: b.String(), Last: true}, nil
}

// short returns the end of a node's id, long enough to identify it in all but very long conversations.
func short(id tree.ID) string { return strings.ToLower(string(id[max(0, len(id)-5):])) }

// fit formats a line with a note after it, cut to the width of the front end. The note is never cut: it says
// where the person is. At least ten letters of the line are left.
func (env *Env) fit(line, note string) string {
	if note != "" {
		note = "  (" + note + ")"
	}
	room := env.Width - len([]rune(note))
	if r := []rune(line); env.Width > 0 && len(r) > max(room, 10) {
		line = string(r[:max(room, 10)-1]) + "…"
	}
	return line + note
}

// fork begins a branch at the head or at an earlier node and switches to it; files change only on request.
func fork(ctx context.Context, env *Env, args string) (Effect, error) {
	rest, has, err := options("fork", args, "--files")
	if err == nil {
		_, _, err = env.begun(ctx)
	}
	if err != nil {
		return Effect{}, err
	}
	name, at, _ := strings.Cut(rest, " ")
	if err := env.do(ctx, conversation.Branch{Tree: env.Tree, Name: name, At: strings.TrimSpace(at), Files: has["--files"]}); err != nil {
		return Effect{}, err
	}
	t, _, err := env.open(ctx)
	if err != nil || !has["--files"] {
		return Effect{Text: "switched to new branch " + t.Branch}, err
	}
	return env.here(ctx, "switched to new branch "+t.Branch+"\n", true)
}

// options removes the words that begin with -- from args; only known ones are allowed. The rest has single
// blanks. An unknown option is refused rather than taken for a word, because a misspelt --files would do half
// of what was meant.
func options(c, args string, known ...string) (rest string, has map[string]bool, err error) {
	has = map[string]bool{}
	var words []string
	for _, w := range strings.Fields(args) {
		switch {
		case slices.Contains(known, w):
			has[w] = true
		case strings.HasPrefix(w, "--"):
			return "", nil, &engine.Refusal{Message: "/" + c + " has no option " + w, Hint: "its options: " + strings.Join(known, ", ")}
		default:
			words = append(words, w)
		}
	}
	return strings.Join(words, " "), has, nil
}

// back moves the branch to an earlier node. Later messages stay in the tree, and the command that returns is
// shown.
func back(ctx context.Context, env *Env, args string) (Effect, error) {
	to, has, err := options("back", args, "--files")
	if err != nil {
		return Effect{}, err
	}
	was, _, err := env.begun(ctx)
	if err != nil {
		return Effect{}, err
	}
	op := conversation.Back{Tree: env.Tree, To: to, Files: has["--files"]}
	if n, err := strconv.Atoi(cmp.Or(to, "1")); err == nil {
		if n < 1 || n > 9999 {
			return Effect{}, lack("back", "a number of turns, 1 or more")
		}
		op.To, op.Turns = "", n
	}
	if err := env.do(ctx, op); err != nil {
		return Effect{}, err
	}
	forward := "forward again: /back " + was.Head.Short() + map[bool]string{true: " --files"}[op.Files] + "\n"
	here, err := env.here(ctx, "", has["--files"])
	here.Text += forward
	return here, err
}

// here shows the current position of the conversation, and the effect on files. files reports whether they were
// moved, too: then the last node says what was restored.
func (env *Env) here(ctx context.Context, text string, files bool) (Effect, error) {
	_, path, err := env.open(ctx)
	if err != nil {
		return Effect{}, err
	}
	said := "no messages before this point"
	if at := view.Turns(path); len(at) > 0 {
		s, _ := talk.SayKind.Of(path[at[len(at)-1]])
		said = "your last message here: " + strings.Join(strings.Fields(cmp.Or(s.Text, s.Data)), " ")
	}
	out := text + env.fit(said, "") + "\n"
	if !files {
		return Effect{Text: out}, nil
	}
	last := path[len(path)-1]
	return Effect{Text: out, News: told.Brought(told.Restored(last), "/redo"), Told: last.ID}, nil
}

// branches lists the branches with the last message of each.
func branches(ctx context.Context, env *Env, args string) (Effect, error) {
	if args != "" && args != "here" {
		return Effect{}, &engine.Refusal{Message: "/branches takes no argument except here",
			Hint: "/branches here lists those containing this node"}
	}
	t, _, err := env.begun(ctx)
	if err != nil {
		return Effect{}, err
	}
	all, err := conversation.In(env.Engine).Branches(ctx, t)
	if err != nil {
		return Effect{}, err
	}
	var list [][2]string
	for _, b := range all {
		path, err := conversation.In(env.Engine).Path(ctx, b.Head)
		if err != nil {
			return Effect{}, err
		}
		if args == "here" && !slices.ContainsFunc(path, func(n tree.Node) bool { return n.ID == t.Head }) {
			continue
		}
		list = append(list, [2]string{mark(b.Name, t.Branch, ""), last(path)})
	}
	return Effect{Text: env.rows(list)}, nil
}

// rows formats rows, each line cut to the width.
func (env *Env) rows(pairs [][2]string) string {
	lines := strings.Split(strings.TrimRight(env.columns(pairs), "\n"), "\n")
	for i := range lines {
		lines[i] = env.fit(lines[i], "")
	}
	return strings.Join(lines, "\n") + "\n"
}

// last returns the last visible entry of a path, in one line. A path is never empty: its first node is the
// conversation itself.
func last(path []tree.Node) string {
	lines := outline.Of(path)
	l := lines[len(lines)-1]
	return strings.TrimPrefix(l.Role+": "+l.Text, ": ")
}

// switchTo switches to another branch, or begins one at a node without one.
func switchTo(ctx context.Context, env *Env, args string) (Effect, error) {
	branch, has, err := options("switch", args, "--files")
	if err == nil && branch == "" {
		err = lack("switch", "a branch; /branches lists them")
	}
	var was conversation.Tree
	if err == nil {
		was, _, err = env.begun(ctx)
	}
	var had []conversation.BranchInfo
	if err == nil {
		had, err = conversation.In(env.Engine).Branches(ctx, was)
	}
	if err == nil {
		err = env.do(ctx, conversation.SwitchTo{Tree: env.Tree, Branch: branch, Files: has["--files"]})
	}
	if err != nil {
		return Effect{}, err
	}
	t, _, err := env.open(ctx)
	if err != nil {
		return Effect{}, err
	}
	kind := "branch "
	if !slices.ContainsFunc(had, func(b conversation.BranchInfo) bool { return b.Name == t.Branch }) {
		kind = "new branch "
	}
	return env.here(ctx, "switched to "+kind+t.Branch+"\n", has["--files"])
}

// leaves lists the ends of the tree, including those without a branch.
func leaves(ctx context.Context, env *Env, _ string) (Effect, error) {
	t, _, err := env.begun(ctx)
	if err != nil {
		return Effect{}, err
	}
	all, err := conversation.In(env.Engine).Leaves(ctx, t)
	if err != nil {
		return Effect{}, err
	}
	var list [][2]string
	for _, n := range all {
		path, err := conversation.In(env.Engine).Path(ctx, n.ID)
		if err != nil {
			return Effect{}, err
		}
		list = append(list, [2]string{short(n.ID), last(path)})
	}
	return Effect{Text: env.rows(list)}, nil
}

// label names a node for later.
func label(ctx context.Context, env *Env, args string) (Effect, error) {
	name, at, _ := strings.Cut(args, " ")
	if name == "" {
		return Effect{}, lack("label", "a name")
	}
	if _, _, err := env.begun(ctx); err != nil {
		return Effect{}, err
	}
	return Effect{Text: "labelled " + name + "; return with /back " + name},
		env.do(ctx, conversation.Label{Tree: env.Tree, At: strings.TrimSpace(at), Name: name})
}

// diff shows how the files of two nodes differ, and what each has that the other has not. Without nodes it shows how the files have
// changed since the conversation began.
func diff(ctx context.Context, env *Env, args string) (Effect, error) {
	names := strings.Fields(args)
	if len(names) == 1 {
		names = append(names, "HEAD")
	}
	if len(names) > 2 {
		return Effect{}, lack("diff", "at most two nodes")
	}
	t, _, err := env.begun(ctx)
	if err != nil {
		return Effect{}, err
	}
	if len(names) == 0 {
		diff, err := conversation.In(env.Engine).Diff(ctx, t, t.Root, t.Head)
		return Effect{Text: cmp.Or(diff.Patch, "no files changed in this conversation")}, err
	}
	var at [2]tree.ID
	for i, name := range names {
		n, err := conversation.In(env.Engine).Locate(ctx, t, name)
		if err != nil {
			return Effect{}, err
		}
		at[i] = n.ID
	}
	diff, err := conversation.In(env.Engine).Diff(ctx, t, at[0], at[1])
	if err != nil {
		return Effect{}, err
	}
	out := ""
	if diff.Patch != "" {
		out = "Changed files, " + names[0] + " to " + names[1] + ":\n\n" + strings.TrimRight(diff.Patch, "\n") + "\n\n"
	}
	for i, way := range [][]tree.Node{diff.A, diff.B} {
		c := scene.NewChat("")
		c.Load(t, way, nil)
		out += "Only in " + names[i] + ":\n\n" + cmp.Or(strings.TrimSpace(written(c.Entries)), "nothing") + "\n\n"
	}
	return Effect{Text: strings.TrimRight(out, "\n") + "\n"}, nil
}

// merge adds the conclusion of another branch, or the given words instead, to this one. It asks no model.
func merge(ctx context.Context, env *Env, args string) (Effect, error) {
	from, text, _ := strings.Cut(args, " ")
	if from == "" {
		return Effect{}, lack("merge", "a branch; /branches lists them")
	}
	if _, _, err := env.begun(ctx); err != nil {
		return Effect{}, err
	}
	return Effect{Text: "merged " + from + " into this branch"},
		env.do(ctx, conversation.Merge{Tree: env.Tree, From: from, Text: strings.TrimSpace(text)})
}

// undo restores the files to before the last turn that changed them.
func undo(ctx context.Context, env *Env, _ string) (Effect, error) {
	return moveFiles(ctx, env, func() engine.Op { return conversation.Undo{Tree: env.Tree} })
}

// redo reverses the last restore of files.
func redo(ctx context.Context, env *Env, _ string) (Effect, error) {
	return moveFiles(ctx, env, func() engine.Op { return conversation.Redo{Tree: env.Tree} })
}

// moveFiles restores files and lists them. op is called after the conversation is opened, when its name is
// known.
func moveFiles(ctx context.Context, env *Env, op func() engine.Op) (Effect, error) {
	if _, _, err := env.begun(ctx); err != nil {
		return Effect{}, err
	}
	if err := env.do(ctx, op()); err != nil {
		return Effect{}, err
	}
	_, path, err := env.open(ctx)
	if err != nil {
		return Effect{}, err
	}
	last := path[len(path)-1]
	return Effect{News: told.Brought(told.Restored(last), "/redo"), Told: last.ID}, nil
}

// mostFound is how many messages a search shows.
const mostFound = 10

// search finds messages of this folder's conversations that contain all words.
func search(ctx context.Context, env *Env, words string) (Effect, error) {
	if words == "" {
		return Effect{}, lack("search", "the words to search for")
	}
	hits, more, err := conversation.In(env.Engine).Search(ctx, conversation.Query{Words: words, Dir: env.Dir, Most: mostFound})
	if err != nil {
		return Effect{}, err
	}
	if len(hits) == 0 {
		return Effect{Text: "no matches in this folder's conversations"}, nil
	}
	var b strings.Builder
	for _, h := range hits {
		excerpt := strings.TrimPrefix(h.Role+": "+strings.Join(strings.Fields(h.Excerpt), " "), ": ")
		fmt.Fprintf(&b, "%s  %s\n    %s\n", h.Tree, h.Node.Short(), env.fit(excerpt, ""))
	}
	fmt.Fprintf(&b, "to open one: socrates chat %s\n", hits[0].Tree)
	if more {
		fmt.Fprintf(&b, "only the first %d matches are shown\n", mostFound)
	}
	return Effect{Text: b.String()}, nil
}

// rename gives the conversation a title, which becomes its name as well if it is a valid one.
func rename(ctx context.Context, env *Env, title string) (Effect, error) {
	if title == "" {
		return Effect{}, lack("rename", "a title")
	}
	t, _, err := env.begun(ctx)
	if err != nil {
		return Effect{}, err
	}
	op := conversation.Rename{Tree: t.Name, Name: title}
	if _, err := env.Engine.Do(ctx, op); err != nil {
		return Effect{}, err
	}
	env.Tree = op.After()
	return Effect{Text: "renamed to " + title}, nil
}
