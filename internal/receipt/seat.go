package receipt

import (
	"slices"

	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Provenance is what a record says about one seat: what its vendor can confirm, separate from what only the record claims.
type Provenance struct {
	ID       string   `json:"id"`
	Provable Provable `json:"provable"`
	Claimed  Claimed  `json:"claimed"`
}

// Provable is what vendors sent with their answers. The owner of the account can look up the request ids with the vendor; that the
// vendor sent them is only as certain as the record's hash.
type Provable struct {
	Calls    int      `json:"calls"`
	Requests []string `json:"requests"` // ids of calls
	Models   []string `json:"models"`   // as the vendor named them
	Programs []string `json:"programs"` // of the vendor, with their versions
}

// Claimed is what the person's settings say.
type Claimed struct {
	Spec    string `json:"spec"`
	Model   string `json:"model"`
	Lineage string `json:"lineage"`
}

// Nothing reports whether no vendor sent any of this.
func (p Provable) Nothing() bool { return len(p.Requests)+len(p.Models)+len(p.Programs) == 0 }

// reply returns a seat's answer, also a late one; the zero Reply: the node is none.
func reply(n tree.Node) exchange.Reply {
	r, ok := exchange.ReplyKind.Of(n)
	if !ok {
		r, _ = exchange.AddendumKind.Of(n)
	}
	return r
}

// seats lists the seats of a room, including those that joined later.
func seats(nodes []tree.Node) []Provenance {
	var infos []table.Seat
	f := table.FrameKind.All(nodes)[0]
	infos = append(infos, f.Seats...)
	if f.Judge != nil {
		infos = append(infos, *f.Judge)
	}
	// A person added it during the debate; a refused message adds no seat.
	for _, h := range people.AppliedKind.All(nodes) {
		if h.Seat != nil && !h.Refused {
			infos = append(infos, *h.Seat)
		}
	}
	var out []Provenance
	for _, info := range infos {
		s := Provenance{ID: info.ID, Claimed: Claimed{info.Spec, info.Model, info.Lineage},
			Provable: Provable{Requests: []string{}, Models: []string{}, Programs: []string{}}}
		for _, n := range nodes {
			if r := reply(n); r.Seat == info.ID {
				s.Provable.take(r)
			}
		}
		out = append(out, s)
	}
	return out
}

func (p *Provable) take(r exchange.Reply) {
	p.Calls += r.Calls
	p.Requests = append(p.Requests, r.Requests...)
	if r.Model != "" && !slices.Contains(p.Models, r.Model) {
		p.Models = append(p.Models, r.Model)
	}
	if r.Program != "" && !slices.Contains(p.Programs, r.Program) {
		p.Programs = append(p.Programs, r.Program)
	}
}
