package hub

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/fleet/code"
	"github.com/socrates-cli/socrates/internal/fleet/lease"
)

// pass returns the pass with which the holder of a task's epoch may fetch and push its code, as long as the epoch is
// current.
func (h *Hub) pass(task string, epoch int) string {
	mac := hmac.New(sha256.New, h.Key)
	fmt.Fprintf(mac, "%s/%d", task, epoch)
	return fmt.Sprintf("%d.%s", epoch, hex.EncodeToString(mac.Sum(nil)))
}

// gate returns the epoch of a task's pass, and whether it is current. It is called again when a push ends.
func (h *Hub) gate(pass, task string) (epoch int, ok bool) {
	text, _, _ := strings.Cut(pass, ".")
	epoch, err := strconv.Atoi(text)
	if err != nil || !hmac.Equal([]byte(pass), []byte(h.pass(task, epoch))) {
		return 0, false // we did not make it
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	s, _, err := h.Table.Read(ctx, task, noDeltas)
	return epoch, err == nil && s.Epoch == epoch && !s.Over()
}

// noDeltas reads a task without its deltas: there are never so many.
const noDeltas = math.MaxInt32

// Handler serves workers over HTTPS: code, and requests that are too long for a message. dir is the folder of code.
func (h *Hub) Handler(dir string) http.Handler {
	return code.Handler(dir, code.Hub{Gate: h.gate, Request: h.Table.Request, Refused: func(task string, epoch int, why string) {
		who := ""
		if epoch > 0 {
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			defer cancel()
			who, _ = h.Table.Holder(ctx, task, epoch)
		}
		h.refuse(lease.AuditLine{Who: who, What: "refused code", Task: task, Why: why})
	}})
}
