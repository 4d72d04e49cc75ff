package bus

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/socrates-cli/socrates/internal/fleet"
)

// tokenHead is the prefix of tokens.
const tokenHead = "socrates-join-"

// ticket is the content of a token.
type ticket struct {
	Worker     string   `json:"worker"`
	URLs       []string `json:"urls"`
	Pin        string   `json:"pin"`              // SHA-256 of the hub's CA
	Roots      string   `json:"roots,omitempty"`  // PEM of another CA that the NATS servers have
	Public     bool     `json:"public,omitempty"` // theirs is one that the system trusts
	Credential string   `json:"credential"`
	ID         string   `json:"id"`
	Secret     string   `json:"secret"`
}

// Invite makes a token with which a machine becomes this worker, once, and within life. If the worker is known, the
// new machine replaces the old one, which is disconnected.
func (s *Server) Invite(worker string, life time.Duration) (string, error) {
	if err := fleet.Named(worker); err != nil {
		return "", err
	}
	if life < time.Second {
		return "", errors.New("a token must be valid for at least a second")
	}
	if s.opts.External != nil && s.roster.knows(worker) {
		return "", fmt.Errorf("%s was used before, and its old credential cannot be revoked in this cluster: choose another name", worker)
	}
	id, secret, err := s.roster.invite(worker, life)
	if err != nil {
		return "", err
	}
	credential, err := s.signer.joining(id, life)
	if err != nil {
		return "", err
	}
	ca, _, err := s.id.authority()
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(ticket{Worker: worker, URLs: s.urls, Pin: pinOf(ca), Roots: s.roots,
		Public: s.opts.External != nil && s.roots == "", Credential: credential, ID: id, Secret: secret})
	return asToken(text), err
}

func asToken(text []byte) string { return tokenHead + base64.RawURLEncoding.EncodeToString(text) }

// ticketOf parses a token.
func ticketOf(token string) (t ticket, err error) {
	body, ok := strings.CutPrefix(strings.TrimSpace(token), tokenHead)
	text, err := base64.RawURLEncoding.DecodeString(body)
	if !ok || err != nil || json.Unmarshal(text, &t) != nil || fleet.Named(t.Worker) != nil || len(t.URLs) == 0 || t.ID == "" {
		return t, errors.New("this is not a join token, or part of it is missing: copy it whole")
	}
	return t, nil
}

// Revoke revokes a worker and disconnects it. Tokens made for it become invalid.
func (s *Server) Revoke(worker string) error {
	if err := s.roster.revoke(worker); err != nil {
		return err
	}
	return s.cutOff()
}

// Workers returns all that ever joined, by name.
func (s *Server) Workers() []Worker { return s.roster.list() }

// cutOff tells the server which keys are revoked; it closes their connections.
func (s *Server) cutOff() error {
	if s.nats == nil {
		return nil
	}
	key, err := nkeys.FromSeed([]byte(s.id.Operator))
	if err != nil {
		return err
	}
	public, err := s.signer.key.PublicKey()
	if err != nil {
		return err
	}
	claims := accountClaims(public, s.roster.revoked())
	text, err := claims.Encode(key)
	if err != nil {
		return err
	}
	if err := s.nats.AccountResolver().Store(public, text); err != nil {
		return err
	}
	account, err := s.nats.LookupAccount(public)
	if err != nil {
		return fmt.Errorf("cannot revoke: %w", err)
	}
	s.nats.UpdateAccountClaims(account, claims)
	return nil
}

// request asks to join.
type request struct {
	ID     string `json:"id"`
	Secret string `json:"secret"`
	Key    string `json:"key"` // the worker's public key
}

// welcome is the answer.
type welcome struct {
	Name      string `json:"name"`
	Base      string `json:"base"`
	Authority string `json:"authority"` // the hub's CA, PEM
}

// join answers a client with a token.
func (s *Server) join(m *nats.Msg, refuse func(string, error)) {
	var r request
	if err := json.Unmarshal(m.Data, &r); err != nil || !strings.HasPrefix(m.Reply, joinInbox(r.ID)+".") {
		refuse("", fmt.Errorf("it wants the answer at %q", m.Reply))
		return
	}
	worker, err := s.letIn(r)
	if err != nil {
		answer(m, worker, refuse)(nil, err)
		return
	}
	base, err := s.signer.base(r.Key, worker)
	answer(m, worker, refuse)(welcome{Name: worker, Base: base, Authority: s.id.Authority}, err)
}

func (s *Server) letIn(r request) (string, error) {
	if !nkeys.IsValidPublicUserKey(r.Key) {
		return "", refusal("this is not a worker's key")
	}
	worker, replaced, err := s.roster.admit(r.ID, r.Secret, r.Key)
	if err == nil && replaced != "" {
		err = s.cutOff()
	}
	return worker, err
}
