package builtin

import (
	"math/bits"
	"regexp/syntax"
)

// sieve separates lines that cannot match from those that may, and reads each byte once. Lines that it lets through
// must be checked again: it assumes that assertions always hold, and that any run of non-ASCII letters matches a
// non-ASCII letter.
//
// It is a deterministic automaton of at most 256 states, made from the program of the expression (subset
// construction). For an expression that needs more, passed replaces the others, which lets too much through and never
// too little.
type sieve struct {
	next [256][256]uint8 // the state after a byte, by the state before
}

// The states every sieve has.
const (
	passed = 0 // a match may end here
	outset = 1
)

// newSieve makes the sieve of an expression that matches within lines; nil if it would let everything through, or is
// too large.
func newSieve(tree *syntax.Regexp) *sieve {
	prog, err := syntax.Compile(tree)
	if err != nil || len(prog.Inst) > 64*len(steps{}) {
		return nil
	}
	b := builder{prog: prog, sieve: new(sieve), numbers: map[steps]uint8{}, states: make([]steps, 1)}
	b.follow(&b.start, uint32(prog.Start))
	if b.number(b.start) == passed {
		return nil
	}
	b.read()
	for at := outset; at < len(b.states); at++ {
		b.fill(at)
	}
	return b.sieve
}

// find returns a place in the first line of text that may match; -1 if there is none.
func (s *sieve) find(text []byte) int {
	state := uint8(outset)
	for i, c := range text {
		if state = s.next[state][c]; state == passed {
			return i
		}
	}
	return -1
}

// steps is a set of instruction numbers of an expression.
type steps [8]uint64

// add adds a number, which must be below 512: newSieve ensures that.
func (s *steps) add(pc uint32) { s[pc/64] |= 1 << (pc % 64) }

// has reports whether a number is in the set.
func (s *steps) has(pc uint32) bool { return s[pc/64]&(1<<(pc%64)) != 0 }

// all yields the numbers in ascending order.
func (s *steps) all(yield func(uint32) bool) {
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			if !yield(uint32(64*i + bits.TrailingZeros64(word))) {
				return
			}
		}
	}
}

// builder turns an expression into states; each state is a set of possible steps.
type builder struct {
	prog    *syntax.Prog
	sieve   *sieve
	start   steps
	takers  [0x81]steps // by byte; the last is for all that are not ASCII
	states  []steps
	numbers map[steps]uint8
}

// follow adds pc to s, and what follows it without reading a byte.
func (b *builder) follow(s *steps, pc uint32) {
	if s.has(pc) {
		return
	}
	s.add(pc)
	switch inst := &b.prog.Inst[pc]; inst.Op {
	case syntax.InstAlt, syntax.InstAltMatch:
		b.follow(s, inst.Out)
		b.follow(s, inst.Arg)
	case syntax.InstCapture, syntax.InstNop, syntax.InstEmptyWidth:
		b.follow(s, inst.Out)
	}
}

// read determines which steps accept which bytes. None accepts the end of a line.
func (b *builder) read() {
	for pc := range b.prog.Inst {
		inst := &b.prog.Inst[pc]
		switch inst.Op {
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			for c := range rune(0x80) {
				if c != '\n' && inst.MatchRune(c) {
					b.takers[c].add(uint32(pc))
				}
			}
			// Some ASCII letters have a non-ASCII letter as another case.
			if inst.Rune[len(inst.Rune)-1] >= 0x80 || syntax.Flags(inst.Arg)&syntax.FoldCase != 0 {
				b.takers[0x80].add(uint32(pc))
			}
		}
	}
}

// fill computes where the state at leads. A match may begin with any byte, so the start is part of each state.
func (b *builder) fill(at int) {
	known := map[steps]uint8{} // by the steps that accept the byte
	for c := range b.takers {
		taking := b.takers[c]
		for i := range taking {
			taking[i] &= b.states[at][i]
		}
		number, ok := known[taking]
		if !ok || c == 0x80 {
			after := b.start
			for pc := range taking.all {
				b.follow(&after, b.prog.Inst[pc].Out)
				if c == 0x80 { // more bytes of the same letter
					after.add(pc)
				}
			}
			number = b.number(after)
			known[taking] = number
		}
		b.sieve.next[at][c] = number
	}
	for c := len(b.takers); c < 0x100; c++ {
		b.sieve.next[at][c] = b.sieve.next[at][0x80]
	}
}

// number returns that of a state. A state without a free number becomes passed.
func (b *builder) number(s steps) uint8 {
	for pc := range s.all {
		if b.prog.Inst[pc].Op == syntax.InstMatch {
			return passed
		}
	}
	n, ok := b.numbers[s]
	if !ok && len(b.states) < len(b.sieve.next) {
		n = uint8(len(b.states))
		b.numbers[s], b.states = n, append(b.states, s)
	}
	return n
}
