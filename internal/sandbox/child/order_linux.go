package child

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Order is the parent's order to the child. Paths are absolute and clean. The zero value only allows reading.
type Order struct {
	Own     bool     // the child has its own namespaces: for mounts and, without Network or Net, for the network
	Lend    bool     // it only brings up its network and stays until its input ends: see lend
	Net     int      // the file of a network to join; 0: none
	User    int      // the file of the user namespace that network belongs to; 0: it is ours
	Write   []string // may be written, with everything below
	Deny    []string // may be neither read nor written
	Cover   []string // look empty except for what is in Write and Read
	Read    []string // in Cover, but may be read; they exist
	Layers  []Layer  // mounted before everything else
	Show    []Shown  // are also visible at another place, read-only
	Hold    []Step   // stay unchanged although they are in Write; outer ones first
	Limits  []Limit
	Grouped bool // it is in a control group that it must not leave
	Network bool
	Sockets bool
	Path    string
	Args    []string // none: only test whether the rules can be applied
	Env     []string // of the program; the child's own environment is empty, so that it cannot be influenced by it
	Alone   bool     // it has its own process namespace
	Cell    *Cell    // nil: none

	half bool // the first of a pair of parts was parsed
}

// Step is a place that must not be renamed or removed. The Last one on a path must not be written either.
type Step struct {
	Path string
	Last bool
}

// Shown is a file or folder and the other place where it is visible.
type Shown struct{ From, At string }

// Limit is one of the kernel's resource limits.
type Limit struct {
	Resource int
	Value    uint64
}

// String encodes the order for the child: each part is a letter, its text and a zero byte, which no path or argument
// contains. The last part is a dot, so that a truncated order is detected. The order of paths is kept.
func (o Order) String() string {
	var b strings.Builder
	put := func(kind byte, texts ...string) {
		for _, t := range texts {
			b.WriteByte(kind)
			b.WriteString(t)
			b.WriteByte(0)
		}
	}
	for kind, on := range map[byte]bool{'o': o.Own, 'n': o.Network, 's': o.Sockets, 'k': o.Lend, 'g': o.Grouped, 'z': o.Alone} {
		if on {
			put(kind, "")
		}
	}
	for kind, file := range map[byte]int{'j': o.Net, 'u': o.User} {
		if file != 0 {
			put(kind, strconv.Itoa(file))
		}
	}
	put('w', o.Write...)
	put('d', o.Deny...)
	put('C', o.Cover...)
	put('R', o.Read...)
	for _, s := range o.Show {
		put('V', s.From, s.At)
	}
	for _, l := range o.Layers {
		put('A', l.At)
		put('U', l.Upper)
		put('B', l.Below...)
	}
	for _, l := range o.Limits {
		put('M', strconv.Itoa(l.Resource)+" "+strconv.FormatUint(l.Value, 10))
	}
	for _, s := range o.Hold {
		kind := byte('h')
		if s.Last {
			kind = 'l'
		}
		put(kind, s.Path)
	}
	if o.Cell != nil {
		o.Cell.texts(put)
	}
	put('p', o.Path)
	put('a', o.Args...)
	put('e', o.Env...)
	put('.', "")
	return b.String()
}

// parse decodes an order, and refuses a truncated one.
func parse(text string) (o Order, err error) {
	whole := false
	for part := range strings.SplitSeq(strings.TrimSuffix(text, "\x00"), "\x00") {
		if part == "" || whole {
			return o, errors.New("the sandbox instructions are invalid")
		}
		switch rest := part[1:]; part[0] {
		case 'o':
			o.Own = true
		case 'n':
			o.Network = true
		case 's':
			o.Sockets = true
		case 'g':
			o.Grouped = true
		case 'z':
			o.Alone = true
		case 'k':
			o.Lend = true
		case 'j':
			o.Net, err = strconv.Atoi(rest)
		case 'u':
			o.User, err = strconv.Atoi(rest)
		case 'w':
			o.Write = append(o.Write, rest)
		case 'd':
			o.Deny = append(o.Deny, rest)
		case 'C':
			o.Cover = append(o.Cover, rest)
		case 'R':
			o.Read = append(o.Read, rest)
		case 'V':
			if o.half = !o.half; o.half {
				o.Show = append(o.Show, Shown{From: rest})
			} else {
				o.Show[len(o.Show)-1].At = rest
			}
		case 'M':
			var l Limit
			_, err = fmt.Sscan(rest, &l.Resource, &l.Value)
			o.Limits = append(o.Limits, l)
		case 'h', 'l':
			o.Hold = append(o.Hold, Step{rest, part[0] == 'l'})
		case 'p':
			o.Path = rest
		case 'a':
			o.Args = append(o.Args, rest)
		case 'e':
			o.Env = append(o.Env, rest)
		case '.':
			whole = true
		default:
			if !o.layer(part[0], rest) {
				err = o.cell(part[0], rest)
			}
		}
		if err != nil {
			return o, fmt.Errorf("the sandbox instruction %q: %w", part, err)
		}
	}
	if !whole {
		return o, errors.New("the sandbox instructions were cut off")
	}
	return o, nil
}
