package target

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
)

// The ways in which a machine is not reached. Each is for errors.Is; the error around it names the cause.
var (
	ErrUnreachable = errors.New("the machine does not answer over SSH")
	ErrHostKey     = errors.New("the machine shows another host key than before")
	ErrKeyRefused  = errors.New("the machine does not accept the hub's key")
)

// Machine is where to find a machine, and how to know that it is the one.
type Machine struct {
	Address string // name or IP address, without a port
	Ports   []int  // where its SSH server listens: tried in this order
	Login   string // user to sign in as
	HostKey string // the pinned host key as in authorized_keys, "ssh-ed25519 AAAA…"; empty: whatever it shows is taken
}

// Conn is an open connection to a machine.
type Conn struct {
	client *ssh.Client
	closed chan struct{}
	Port   int    // where it answered
	Key    string // the host key that it showed
}

const (
	dialWait  = 10 * time.Second
	keepEvery = 10 * time.Second
	keepWait  = 30 * time.Second
)

// Dial connects to a machine and proves the hub's key to it. The connection stands until Close.
func Dial(ctx context.Context, m Machine, key ssh.Signer) (*Conn, error) {
	var errs []error
	for _, port := range m.Ports {
		c, err := dial(ctx, m, port, key)
		if err == nil {
			return c, nil
		}
		if !errors.Is(err, ErrUnreachable) {
			return nil, err // it answered: another port would be another server
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

func dial(ctx context.Context, m Machine, port int, key ssh.Signer) (*Conn, error) {
	address := net.JoinHostPort(m.Address, strconv.Itoa(port))
	dialing, cancel := context.WithTimeout(ctx, dialWait)
	defer cancel()
	raw, err := new(net.Dialer).DialContext(dialing, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	c := &Conn{Port: port, closed: make(chan struct{})}
	config := &ssh.ClientConfig{
		User: m.Login, Auth: []ssh.AuthMethod{ssh.PublicKeys(key)}, HostKeyCallback: c.pin(m.HostKey),
		HostKeyAlgorithms: algorithms(m.HostKey), ClientVersion: "SSH-2.0-Gatehouse",
	}
	over := context.AfterFunc(dialing, func() { _ = raw.Close() }) // the handshake has no context of its own
	conn, channels, requests, err := ssh.NewClientConn(raw, address, config)
	if !over() && err == nil {
		_, err = conn.Close(), dialing.Err()
	}
	if err != nil {
		return nil, errors.Join(named(err), raw.Close())
	}
	c.client = ssh.NewClient(conn, channels, requests)
	go c.keepAlive()
	return c, nil
}

// pin checks the host key against the one that is known, and notes it.
func (c *Conn) pin(known string) ssh.HostKeyCallback {
	return func(_ string, _ net.Addr, key ssh.PublicKey) error {
		c.Key = KeyText(key)
		if known != "" && c.Key != known {
			return fmt.Errorf("%w: it shows %s", ErrHostKey, ssh.FingerprintSHA256(key))
		}
		return nil
	}
}

// algorithms asks for the kind of key that is pinned: a machine has one of each kind.
func algorithms(known string) []string {
	kind, _, found := strings.Cut(known, " ")
	switch {
	case !found:
		return []string{ssh.KeyAlgoED25519, ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoRSASHA512}
	case kind == ssh.KeyAlgoRSA:
		return []string{ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256}
	}
	return []string{kind}
}

// named tells apart why a handshake failed.
func named(err error) error {
	switch {
	case errors.Is(err, ErrHostKey):
		return err
	case strings.Contains(err.Error(), "unable to authenticate"):
		return fmt.Errorf("%w: %w", ErrKeyRefused, err)
	}
	return fmt.Errorf("%w: %w", ErrUnreachable, err)
}

// keepAlive closes the connection when the machine is silent: a read would wait for ever.
func (c *Conn) keepAlive() {
	tick := time.NewTicker(keepEvery)
	defer tick.Stop()
	for {
		select {
		case <-c.closed:
			return
		case <-tick.C:
		}
		silent := time.AfterFunc(keepWait, func() { _ = c.client.Close() })
		_, _, err := c.client.SendRequest("keepalive@openssh.com", true, nil)
		if silent.Stop(); err != nil {
			return
		}
	}
}

// Close ends the connection. It is called once.
func (c *Conn) Close() error {
	close(c.closed)
	if err := c.client.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("close SSH connection: %w", err)
	}
	return nil
}

// KeyText is a public key as in authorized_keys, without a comment.
func KeyText(key ssh.PublicKey) string {
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key)))
}

// Fingerprint is what people compare: SHA256 of a key written as in authorized_keys.
func Fingerprint(key string) (string, error) {
	pub, _, _, rest, err := ssh.ParseAuthorizedKey([]byte(key))
	if err != nil || len(rest) > 0 {
		return "", errors.New("this is no public key as in authorized_keys")
	}
	return ssh.FingerprintSHA256(pub), nil
}
