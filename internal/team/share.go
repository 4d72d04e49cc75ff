package team

import (
	"context"
	"database/sql"
	"path/filepath"
	"slices"
	"strings"
)

// What can be shared, or have a quota.
const (
	OfWorker  = "worker"
	OfProject = "project" // a folder of the hub's machine, with those below it
	OfPerson  = "person"
	OfPool    = "pool"
)

// Everybody stands for all people in a Share. Nobody is how people write none. Owner is whoever runs the hub, where people are listed.
const (
	Everybody = "all"
	Nobody    = "nobody"
	Owner     = "owner"
)

// Share says who sees a worker or a project: its owner, and those it is shared with. Admins see everything.
type Share struct {
	Kind   string   `json:"kind"`
	Name   string   `json:"name"`
	Owner  string   `json:"owner,omitempty" jsonschema:"who pays for a worker's calls; empty: whoever runs the hub"`
	People []string `json:"people,omitempty" jsonschema:"who else sees it; all: everybody; empty: nobody"`
}

// Open says whether p sees it.
func (s Share) Open(p Person) bool {
	return p.Role == Admin || p.Name != "" && (s.Owner == p.Name || slices.Contains(s.People, p.Name)) ||
		slices.Contains(s.People, Everybody)
}

// Share writes one down, in the place of the one before.
func (b *Book) Share(ctx context.Context, s Share) error {
	if s.Kind != OfWorker && s.Kind != OfProject || s.Name == "" {
		return refuse("%s %q cannot be shared: name a worker or a project", s.Kind, s.Name)
	}
	if err := placed(s.Kind, &s.Name); err != nil {
		return err
	}
	return b.in(ctx, func(tx *sql.Tx) error {
		for _, p := range append(slices.Clone(s.People), s.Owner) {
			if p == Everybody || p == "" {
				continue
			}
			if there, err := known(tx, p); err != nil {
				return err
			} else if !there {
				return unknown(p)
			}
		}
		_, err := tx.Exec("INSERT INTO share (kind, name, owner, people) VALUES (?,?,?,?) ON CONFLICT (kind, name) DO UPDATE SET "+
			"owner = excluded.owner, people = excluded.people", s.Kind, s.Name, s.Owner, strings.Join(s.People, " "))
		return err
	})
}

// forget takes a person out of all shares.
func forget(tx *sql.Tx, person string) error {
	if _, err := tx.Exec("UPDATE share SET owner = '' WHERE owner = ?", person); err != nil {
		return err
	}
	// Names have no blanks, and the list is one of names between blanks.
	_, err := tx.Exec("UPDATE share SET people = trim(replace(' ' || replace(people, ' ', '  ') || ' ', ' ' || ?1 || ' ', ' ')) "+
		"WHERE ' ' || people || ' ' LIKE '% ' || ?1 || ' %'", person)
	return err
}

// Retire ends the share of a worker that was revoked. If only some people saw it, only admins see a later worker of its name, so that
// nobody gets one by mistake.
func (b *Book) Retire(ctx context.Context, worker string) error {
	return b.in(ctx, func(tx *sql.Tx) error {
		_, err := tx.Exec("UPDATE share SET owner = '', people = CASE WHEN ' ' || people || ' ' LIKE '% ' || ? || ' %' THEN ? ELSE '' END "+
			"WHERE kind = ? AND name = ?", Everybody, Everybody, OfWorker, worker)
		return err
	})
}

// known says whether somebody has this name.
func known(tx *sql.Tx, name string) (there bool, err error) {
	err = tx.QueryRow("SELECT EXISTS (SELECT 1 FROM person WHERE name = ?)", name).Scan(&there)
	return there, err
}

// placed has a project be called as calls and records call it: by the whole path of its folder. By another name nothing would be held
// against it, and nothing hidden.
func placed(kind string, name *string) error {
	if kind != OfProject {
		return nil
	}
	if !filepath.IsAbs(*name) {
		return refuse("%s is not the full path of a folder", *name)
	}
	*name = filepath.Clean(*name)
	return nil
}

// Shares are those of a kind, by name; empty: of all kinds.
func (b *Book) Shares(ctx context.Context, kind string) ([]Share, error) {
	return rows(ctx, b, "SELECT kind, name, owner, people FROM share WHERE kind = ?1 OR ?1 = '' ORDER BY kind, name", []any{kind},
		func(scan func(...any) error) (s Share, err error) {
			var people string
			err = scan(&s.Kind, &s.Name, &s.Owner, &people)
			s.People = strings.Fields(people)
			return s, err
		})
}

// Sees says whether a person sees a worker; an empty name is whoever runs the hub. What nobody shared, everybody sees.
func (b *Book) Sees(ctx context.Context, person, worker string) (bool, error) {
	hidden, err := b.Hidden(ctx, person, OfWorker)
	return !slices.Contains(hidden, worker), err
}

// Hidden are the names of what a person does not see of a kind; an empty name is whoever runs the hub, who sees everything, and one who
// was taken out sees only what everybody does.
func (b *Book) Hidden(ctx context.Context, person, kind string) (names []string, err error) {
	if person == "" {
		return nil, nil
	}
	p, _, err := b.Person(ctx, person)
	if err != nil {
		return nil, err
	}
	shares, err := b.Shares(ctx, kind)
	for _, s := range shares {
		if !s.Open(p) {
			names = append(names, s.Name)
		}
	}
	return names, err
}
