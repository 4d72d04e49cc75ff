package theme

import (
	"fmt"
	"testing"
)

// At one table no two lineages have the same colour as long as there are enough, and who sat down first keeps theirs.
func TestSeat(t *testing.T) {
	for _, th := range All {
		var table []string
		for i := range max(1, len(th.Seats)) {
			table = append(table, fmt.Sprint("lineage-", i))
		}
		given := map[Ink]string{}
		for i, l := range append(table, table[0]) {
			ink := th.Seat(l, table)
			if by, is := given[ink]; is && by != l && len(th.Seats) > 0 {
				t.Errorf("%s: %s has the colour of %s", th.Name, l, by)
			}
			if given[ink] = l; ink != th.Seat(l, table[:min(i+1, len(table))]) {
				t.Errorf("%s: %s changes its colour when others come", th.Name, l)
			}
		}
		if th.Seat("alone", nil) != th.Seat("alone", []string{"alone"}) {
			t.Errorf("%s: a lineage by itself has two colours", th.Name)
		}
	}
}
