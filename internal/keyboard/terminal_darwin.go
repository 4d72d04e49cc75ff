package keyboard

import "golang.org/x/sys/unix"

const getTermios, setTermios = unix.TIOCGETA, unix.TIOCSETA

// noKey is what no key gives.
const noKey = 0xff
