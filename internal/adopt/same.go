package adopt

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path"
	"slices"
	"strconv"

	"github.com/socrates-cli/socrates/internal/trust"
)

// Defines says whether an item is defined by exactly what the piece put into a file.
// A piece that is a file of its own defines nothing but what lies in its files.
func (p Piece) Defines(i trust.Item) bool {
	if p.value == nil {
		return len(i.Definition) == 0
	}
	raw, err := json.Marshal(p.value)
	return err == nil && bytes.Equal(raw, i.Definition)
}

// Holds says whether a file of an item is one that the piece wrote: the same bytes in the same place, and no program unless it was
// shown as one. A file that is merged into, or that a command names, is none.
// Mode bits that a umask took away are no difference; bits that let it run, and were not shown, are.
func (p Piece) Holds(f trust.File) bool {
	mode, err := strconv.ParseUint(f.Mode, 8, 32)
	return err == nil && p.merge == nil && f.Link == "" && slices.ContainsFunc(p.all(), func(one file) bool {
		sum := sha256.Sum256(one.data)
		return f.Path == path.Join(p.To, one.name) && f.SHA256 == hex.EncodeToString(sum[:]) && mode&0o111&^uint64(one.mode) == 0
	})
}
