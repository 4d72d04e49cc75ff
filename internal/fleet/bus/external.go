package bus

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
)

// External is the operator's own NATS, 2.15.2 or newer, with JetStream, TLS and accounts of an operator (not a list
// of users in its settings), and what the hub needs there: an account for itself alone, with JetStream on disk, a
// signing key of that account, and a user of it. With nsc: add account, edit account --js-disk-storage and --sk
// generate, add user, generate creds. The servers' max_payload limits a worker's messages; set it to 8 MiB.
type External struct {
	URL         string // of one server or, with commas, of several; workers use them too
	Credentials string // a .creds file of a user of the account who may publish and subscribe to everything
	Signer      string // a file with the seed of a signing key of the account, with which the hub makes its workers' credentials
	Account     string // the account's public key
	Roots       string // a PEM file with the CA of the servers; empty: one that the system trusts
	Replicas    int    // of the queue; 0: 3 in a cluster, else 1
}

// external connects to the operator's cluster. There, credentials last an hour: the hub cannot revoke them, but only
// stop answering.
func (s *Server) external() error {
	e := s.opts.External
	seed, err := os.ReadFile(e.Signer)
	if err != nil {
		return fmt.Errorf("cannot read the account's signing key: %w", err)
	}
	key, err := nkeys.ParseDecoratedNKey(seed)
	if err != nil {
		return fmt.Errorf("%s does not contain the seed of an account's signing key: %w", e.Signer, err)
	}
	if !nkeys.IsValidPublicAccountKey(e.Account) {
		return fmt.Errorf("%q is not an account's public key", e.Account)
	}
	s.signer = &signer{key: key, account: e.Account, life: grantedThere, keep: kept}
	if public, err := key.PublicKey(); err == nil && public == e.Account {
		s.signer.account = ""
	}
	s.urls = strings.Split(e.URL, ",")
	opts := []nats.Option{nats.UserCredentials(e.Credentials)}
	if e.Roots != "" {
		pem, err := os.ReadFile(e.Roots)
		if err != nil {
			return fmt.Errorf("cannot read the CA of the NATS servers: %w", err)
		}
		s.roots = string(pem)
		opts = append(opts, nats.RootCAs(e.Roots))
	}
	if err := s.connect(e.URL, opts...); err != nil {
		return err
	}
	if !s.nc.HeadersSupported() {
		return errors.New("the NATS servers are too old: use 2.15.2 or newer")
	}
	return nil
}

// replicas returns how many servers store the queue.
func (s *Server) replicas() int {
	switch {
	case s.opts.External == nil:
		return 1
	case s.opts.External.Replicas > 0:
		return s.opts.External.Replicas
	case s.nc.ConnectedClusterName() != "" && len(s.nc.Servers())+len(s.nc.DiscoveredServers()) > 1:
		return 3
	}
	return 1
}
