package table

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
)

// Seal enters the hash of the key that draws, which nobody may know yet.
// It is entered before the first call and the key told after the last ballot, so anybody can check that nobody chose
// the key to suit the claims.
func (f *Frame) Seal(key string) {
	sum := sha256.Sum256([]byte(key))
	f.DrawHash = hex.EncodeToString(sum[:])
}

// SealBySeed has the seed draw, so that a debate can be repeated: whoever knows the seed can foresee the draws.
func (f *Frame) SealBySeed() { f.Seal(f.SeedKey()) }

// SeedDraws says whether the seed draws.
func (f Frame) SeedDraws() bool { return f.Sealed(f.SeedKey()) }

// SeedKey is the key that the seed gives.
func (f Frame) SeedKey() string { return "seed " + strconv.FormatUint(f.Seed, 16) }

// Sealed says whether this is the key that the frame promised.
// It compares hashes: the key itself is not in the frame.
func (f Frame) Sealed(key string) bool {
	again := Frame{}
	again.Seal(key)
	return f.DrawHash == again.DrawHash
}
