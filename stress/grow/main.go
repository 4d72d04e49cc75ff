// Command grow fills a store with copies of a recorded debate, to measure what grows with a store:
//
//	go run ./stress/grow -store big.db -debates 23000 -record examples/council/debate.jsonl
//
// The copies have names, questions and days of their own, lie in -folders folders, and are as findable as any.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/ruling"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

var things = []string{"sessions", "carts", "logs", "queues", "metrics", "mails", "images", "users", "orders", "tokens", "pages",
	"drafts", "flags"}

func main() {
	path := flag.String("store", "", "the store to fill; made if it is not there")
	debates := flag.Int("debates", 1000, "copies to make")
	first := flag.Int("first", 0, "number of the first copy: those that are there already keep theirs")
	folders := flag.Int("folders", 1, "folders they lie in, below the one of -dir")
	dir := flag.String("dir", "/p", "folder of the debates")
	record := flag.String("record", "examples/council/debate.jsonl", "what is copied")
	age := flag.Duration("age", 365*24*time.Hour, "how long ago the first one was held")
	bare := flag.Bool("bare", false, "leave them to be found later, as an older program did")
	flag.Parse()
	if err := grow(*path, *record, *dir, *first, *debates, *folders, *age, *bare); err != nil {
		log.Fatal(err)
	}
}

func grow(path, record, dir string, first, debates, folders int, age time.Duration, bare bool) error {
	ctx := context.Background()
	s, err := store.Open(ctx, path, nil)
	if err != nil {
		return err
	}
	defer s.Close()
	model, err := read(ctx, s, record)
	if err != nil {
		return err
	}
	const atOnce = 200
	for from := 0; from < debates; from += atOnce {
		var c store.Change
		for i := from; i < min(from+atOnce, debates); i++ {
			at := time.Now().Add(-time.Duration(float64(age) * float64(debates-i) / float64(debates)))
			one, err := copied(model, filepath.Join(dir, fmt.Sprintf("f%d", i%folders)), first+i, at)
			if err != nil {
				return err
			}
			if bare {
				one.Index = nil
			}
			c = c.And(one)
		}
		if _, err := s.Commit(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// read keeps the texts of a record in the store and returns its nodes.
func read(ctx context.Context, s *store.Store, record string) (nodes []tree.Node, err error) {
	f, err := os.Open(record)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for lines := json.NewDecoder(bufio.NewReader(f)); lines.More(); {
		var l struct {
			Type, Text string
			Node       *tree.Node
		}
		if err := lines.Decode(&l); err != nil {
			return nil, fmt.Errorf("%s: %w", record, err)
		}
		switch {
		case l.Type == "text":
			if _, err := s.PutBlob(ctx, l.Text); err != nil {
				return nil, err
			}
		case l.Node != nil:
			nodes = append(nodes, *l.Node)
		}
	}
	return nodes, nil
}

// copied is a copy of a debate as a change of a store.
func copied(model []tree.Node, dir string, i int, at time.Time) (c store.Change, err error) {
	ids := map[tree.ID]tree.ID{}
	for _, n := range model {
		ids[n.ID] = tree.NewID()
	}
	room := fmt.Sprintf("%s-%s-%05d", things[i%13], things[i*5%13], i)
	for _, n := range model {
		n.ID, n.Parent, n.Seq, n.At = ids[n.ID], ids[n.Parent], 0, at
		if f, ok := table.FrameKind.Of(n); ok {
			f.Room, f.Dir, f.Rehearsal = room, dir, false
			f.Question = fmt.Sprintf("Where should the %s of service %d live: with the %s or in a store of their own?", things[i%13], i%29,
				things[i*5%13])
			if n.Body, err = json.Marshal(f); err != nil {
				return c, err
			}
		}
		c.Nodes = append(c.Nodes, n)
	}
	res, err := debate.Summarize(c.Nodes)
	if err != nil {
		return c, err
	}
	root, head := c.Nodes[0].ID, tree.ID("")
	for _, n := range c.Nodes {
		if n.Kind == string(ruling.EndKind) {
			head = n.ID
		}
	}
	e := store.Indexed{Node: root, Scope: filepath.ToSlash(dir)}
	e.Title, e.Body = res.Digest().Text()
	c.Index = []store.Indexed{e}
	c.Moves = []store.Move{{Ref: "room/" + strings.ToLower(room), To: head, Scope: e.Scope, State: "decided"}}
	return c, nil
}
