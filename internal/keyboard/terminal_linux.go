package keyboard

import "golang.org/x/sys/unix"

const getTermios, setTermios = unix.TCGETS, unix.TCSETS

// noKey is what no key gives.
const noKey = 0
