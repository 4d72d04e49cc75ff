package keyboard

import "golang.org/x/sys/unix"

const getTermios, setTermios, dropTermios = unix.TIOCGETA, unix.TIOCSETA, unix.TIOCSETAF

// getWaiting asks how many bytes wait to be read: FIONREAD of its sys/filio.h.
const getWaiting = 0x4004667f

// noKey is what no key gives.
const noKey = 0xff
