package redact

import "slices"

// starts is the prefilter: it finds the places where something of a set may begin by checking three bytes at a time,
// six bits of each. Text without such places costs one look-up in 32 KiB per byte.
type starts[T any] struct {
	begins [1 << 12]uint64 // a bit for each code of three bytes
	bucket [1 << 12]uint16 // where in all the entries of a bucket end; they begin where those of the previous bucket end
	all    []T
	in     []uint16 // the buckets of all, until it is sorted
}

// code packs three bytes into 18 bits. Bytes that differ by 64 share a code: shapes compare the rest.
func code(a, b, c byte) uint32 { return uint32(a&63)<<12 | uint32(b&63)<<6 | uint32(c&63) }

// spread is the bucket of a code (Fibonacci hashing).
func spread(code uint32) uint32 { return code * 2654435761 >> 20 }

// add adds v as something that begins with prefix, which has at least three bytes. fold: upper and lower case are equal.
func (s *starts[T]) add(prefix string, v T, fold bool) {
	cases := 1
	if fold {
		cases = 8
	}
	var done [8]uint32
	for i := range cases {
		var b [3]byte
		same := false // the byte to change case is no letter
		for j := range b {
			if b[j] = prefix[j]; i>>j&1 == 1 {
				same = same || !letters[b[j]]
				b[j] ^= 32
			}
		}
		if same {
			continue
		}
		h := code(b[0], b[1], b[2])
		s.begins[h>>6] |= 1 << (h & 63)
		done[i] = spread(h) + 1
		if slices.Contains(done[:i], done[i]) {
			continue
		}
		s.all, s.in = append(s.all, v), append(s.in, uint16(spread(h)))
	}
}

// sort puts the entries of all into their buckets, in the order in which they were added, and makes s ready for use.
func (s *starts[T]) sort() {
	for _, b := range s.in {
		s.bucket[b]++
	}
	var from [1 << 12]uint16
	sum := uint16(0)
	for b, n := range s.bucket {
		from[b] = sum
		sum += n
		s.bucket[b] = sum
	}
	sorted := make([]T, len(s.all))
	for i, b := range s.in {
		sorted[from[b]] = s.all[i]
		from[b]++
	}
	s.all, s.in = sorted, nil
}

// at returns what may begin at the start of text, which has at least three bytes.
func (s *starts[T]) at(text []byte) []T {
	b := spread(code(text[0], text[1], text[2]))
	from := uint16(0)
	if b > 0 {
		from = s.bucket[b-1]
	}
	return s.all[from:s.bucket[b]]
}

// next returns the first place from which on something may begin, or len(text).
func next[T any, S string | []byte](s *starts[T], text S, from int) int {
	if len(text)-from < 3 {
		return len(text)
	}
	h := code(0, text[from], text[from+1])
	begins := &s.begins
	for i := from + 2; i < len(text); i++ {
		h = h<<6 | uint32(text[i]&63)
		if begins[h>>6&(1<<12-1)]>>(h&63)&1 != 0 {
			return i - 2
		}
	}
	return len(text)
}
