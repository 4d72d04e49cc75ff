package keyboard

import "golang.org/x/sys/unix"

const getTermios, setTermios, dropTermios = unix.TCGETS, unix.TCSETS, unix.TCSETSF

// getWaiting asks how many bytes wait to be read.
const getWaiting = unix.TIOCINQ

// noKey is what no key gives.
const noKey = 0
