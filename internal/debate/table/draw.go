package table

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
)

// Seal sets the hash of the draw key, which nobody may know yet. The hash is recorded before the first call and the key published
// after the last ballot, so anyone can check that the key was not chosen to suit the claims.
func (f *Frame) Seal(key string) {
	sum := sha256.Sum256([]byte(key))
	f.DrawHash = hex.EncodeToString(sum[:])
}

// SealBySeed makes the seed draw, so that a debate can be repeated. Anyone who knows the seed can predict the draws.
func (f *Frame) SealBySeed() { f.Seal(f.SeedKey()) }

// SeedDraws reports whether the seed draws.
func (f Frame) SeedDraws() bool { return f.Sealed(f.SeedKey()) }

// SeedKey returns the draw key derived from the seed.
func (f Frame) SeedKey() string { return "seed " + strconv.FormatUint(f.Seed, 16) }

// Sealed reports whether this is the key whose hash the frame has. It compares hashes: the key itself is not in the frame.
func (f Frame) Sealed(key string) bool {
	again := Frame{}
	again.Seal(key)
	return f.DrawHash == again.DrawHash
}
