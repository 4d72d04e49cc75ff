package bus

import (
	"fmt"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nkeys"

	"github.com/socrates-cli/socrates/internal/fleet"
)

// signer makes credentials: JWTs that say what a key may publish and receive in the hub's account.
type signer struct {
	key     nkeys.KeyPair
	account string        // the account of the signing key; empty: key is the account's own
	life    time.Duration // of a credential with rights
	keep    time.Duration // of one that may only make an offer
}

// sign makes a credential for a user's public key with a lifetime; 0: unlimited.
func (s *signer) sign(public, name string, life time.Duration, with func(*jwt.UserClaims)) (string, error) {
	c := jwt.NewUserClaims(public)
	c.Name, c.IssuerAccount = name, s.account
	if life != 0 {
		c.Expires = time.Now().Add(life).Unix()
	}
	with(c)
	text, err := c.Encode(s.key)
	if err != nil {
		return "", fmt.Errorf("cannot sign a credential for %s: %w", name, err)
	}
	return text, nil
}

// callers returns the subjects of a worker's calls.
func callers(worker string) (to []string) {
	for _, verb := range []string{fleet.OfferTo, fleet.ClaimTo, fleet.BeatTo, fleet.NodeTo, fleet.DoneTo, fleet.MayTo} {
		to = append(to, verb+"."+worker)
	}
	return to
}

// granted makes a worker's credential: for its calls, the next task of its queues, its answers and orders. It cannot
// acknowledge a delivery.
func (s *signer) granted(public, worker string, queues []string) (string, error) {
	return s.sign(public, worker, s.life, func(c *jwt.UserClaims) {
		c.Limits.Subs = 8192
		c.Pub.Allow.Add(callers(worker)...)
		for _, q := range queues {
			c.Pub.Allow.Add("$JS.API.CONSUMER.INFO."+fleet.Stream+"."+q, "$JS.API.CONSUMER.MSG.NEXT."+fleet.Stream+"."+q)
		}
		c.Sub.Allow.Add(inbox(worker)+".>", fleet.Control+"."+worker, fleet.Control+"."+worker+".>")
	})
}

// base makes the credential that a worker keeps while it is away: it may make an offer, and receive orders, to which
// it subscribes from the beginning.
func (s *signer) base(public, worker string) (string, error) {
	return s.sign(public, worker, s.keep, func(c *jwt.UserClaims) {
		c.Limits.Subs = 64
		c.Pub.Allow.Add(fleet.OfferTo + "." + worker)
		c.Sub.Allow.Add(inbox(worker)+".>", fleet.Control+"."+worker)
	})
}

// joining makes the part of a token that lets its bearer ask to join, once.
func (s *signer) joining(id string, life time.Duration) (string, error) {
	k, err := nkeys.CreateUser()
	if err != nil {
		return "", err
	}
	public, err := k.PublicKey()
	if err != nil {
		return "", err
	}
	return s.sign(public, "join-"+id, life, func(c *jwt.UserClaims) {
		c.BearerToken = true
		c.Limits.Payload = 4096
		c.Limits.Subs = 8
		c.Pub.Allow.Add(fleet.Join)
		c.Sub.Allow.Add(joinInbox(id) + ".>")
	})
}

// joinInbox is the inbox for the answer to a join with a token.
func joinInbox(id string) string { return "_INBOX_join_" + id }

// accountClaims returns the hub's account, with the revoked keys.
func accountClaims(account string, revoked map[string]time.Time) *jwt.AccountClaims {
	c := jwt.NewAccountClaims(account)
	c.Name = "fleet"
	c.Limits.JetStreamLimits = jwt.JetStreamLimits{DiskStorage: jwt.NoLimit, Streams: 1, Consumer: jwt.NoLimit, MaxAckPending: jwt.NoLimit}
	for key, at := range revoked {
		c.RevokeAt(key, at)
	}
	return c
}
