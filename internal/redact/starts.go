package redact

// starts is the prefilter: it finds the places where something of a set may begin by looking at three bytes at a
// time, five bits of each, so that upper and lower case look the same. Text without such places costs one
// table look-up per byte.
type starts[T any] struct {
	lists  [][]T           // lists[0] is empty
	bucket [1 << 15]uint16 // three bytes' code to an index of lists; 0: nothing begins so
}

func code(a, b, c byte) uint16 { return uint16(a&31)<<10 | uint16(b&31)<<5 | uint16(c&31) }

// add enters v as something that begins with prefix, which has at least three bytes. Order is kept.
func (s *starts[T]) add(prefix string, v T) {
	if s.lists == nil {
		s.lists = make([][]T, 1)
	}
	at := &s.bucket[code(prefix[0], prefix[1], prefix[2])]
	if *at == 0 {
		*at = uint16(len(s.lists))
		s.lists = append(s.lists, nil)
	}
	s.lists[*at] = append(s.lists[*at], v)
}

// at lists what may begin where text does. text has at least three bytes.
func (s *starts[T]) at(text []byte) []T { return s.lists[s.bucket[code(text[0], text[1], text[2])]] }

// next returns the first place from which on something may begin, or len(text).
func next[T any, S string | []byte](s *starts[T], text S, from int) int {
	if len(text)-from < 3 {
		return len(text)
	}
	h := code(0, text[from], text[from+1])
	for i := from + 2; i < len(text); i++ {
		h = (h<<5 | uint16(text[i]&31)) & (1<<15 - 1)
		if s.bucket[h] != 0 {
			return i - 2
		}
	}
	return len(text)
}
