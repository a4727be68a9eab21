package order

import (
	"context"
	"crypto/rsa"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
)

// ErrAdminKey refuses another SSH key for a server that nobody can put one on any more.
var ErrAdminKey = fault.New(fault.Conflict, "ssh-key-fixed", "SSH key of an order past its set-up",
	"Your server is set up, or just being set up, and the hub cannot get in to change a key. Nothing was changed. "+
		"Add the key yourself over SSH, or ask us to replace the server.")

// maxAdminKey is how long a key may be, as in authorized_keys.
const maxAdminKey = 4096

// leastRSA is how many bits a key of the old kind has at least.
const leastRSA = 2048

// adminKinds are the kinds of keys that a server takes. No certificates: who signed one could let others in.
var adminKinds = []string{
	ssh.KeyAlgoED25519, ssh.KeyAlgoSKED25519, ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521, ssh.KeyAlgoSKECDSA256,
	ssh.KeyAlgoRSA,
}

// readAdminKey reads the owner's own SSH key as it was pasted, without its comment, or says what is wrong with it. None is fine.
func readAdminKey(typed string) (key, problem string) {
	typed = strings.TrimSpace(typed)
	switch {
	case typed == "":
		return "", ""
	case IsPrivateKey(typed):
		return "", "This is a private key. Never give it to anybody, and make a new pair: it has left your computer. " +
			"Paste the public key, from the file that ends in .pub."
	case strings.ContainsAny(typed, "\r\n") || len(typed) > maxAdminKey || strings.HasPrefix(typed, "#"):
		return "", "Paste one public key, as one line."
	}
	pub, _, options, rest, err := ssh.ParseAuthorizedKey([]byte(typed))
	switch {
	case err != nil || len(rest) > 0 || !slices.Contains(adminKinds, pub.Type()):
		return "", "This is no public SSH key. Paste one line that begins with ssh-ed25519, ecdsa-sha2 or ssh-rsa."
	case len(options) > 0:
		return "", "Paste the key alone, without options before it."
	case weak(pub):
		return "", "This key is too short to be safe. Make a new one, with ssh-keygen -t ed25519."
	}
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(pub))), ""
}

// IsPrivateKey says whether what was pasted is a private key: it is shown and kept nowhere.
func IsPrivateKey(typed string) bool {
	return strings.Contains(typed, "PRIVATE KEY") || strings.HasPrefix(strings.TrimSpace(typed), "PuTTY-User-Key-File")
}

func weak(key ssh.PublicKey) bool {
	k, ok := key.(ssh.CryptoPublicKey)
	if !ok {
		return false
	}
	old, ok := k.CryptoPublicKey().(*rsa.PublicKey)
	return ok && old.N.BitLen() < leastRSA
}

// AdminPrint is what people compare of the owner's own SSH key, as ssh-keygen -l writes it; empty without one.
func (o Order) AdminPrint() string {
	pub, _, _, _, err := ssh.ParseAuthorizedKey([]byte(o.AdminKey))
	if err != nil {
		return ""
	}
	return ssh.FingerprintSHA256(pub)
}

// Keyable says whether the order's server can still be given another SSH key: its set-up was not begun.
func (o Order) Keyable() bool {
	at := o.Step().place()
	return at >= 0 && at < Provisioning.place()
}

// KeyOrder is the order whose server the owner's own SSH key is for: one that replaces the present server, until its set-up begins.
func (s *Service) KeyOrder(ctx context.Context, of account.CustomerID) (Order, error) {
	next, err := s.Store.NextOf(ctx, of)
	switch {
	case err == nil && next.Keyable():
		return next, nil
	case err != nil && fault.Of(err).Kind != fault.NotFound:
		return Order{}, err
	}
	return s.Of(ctx, of)
}

// SetAdminKey has the order's server let another SSH key in, or none: the owner's own, as it was typed. Once the set-up has begun it
// is refused, for the hub cannot put it there any more.
func (s *Service) SetAdminKey(ctx context.Context, of account.CustomerID, typed string, by audit.Actor) (Order, error) {
	key, problem := readAdminKey(typed)
	if problem != "" {
		return Order{}, fault.Bad(map[string]string{"admin_key": problem})
	}
	o, err := s.KeyOrder(ctx, of)
	if err != nil {
		return Order{}, err
	}
	return s.act(ctx, of, o.ID, by, "order.ssh_key", func(o *Order, _ time.Time) (Change, error) {
		if !o.Keyable() {
			return Change{}, ErrAdminKey
		}
		o.AdminKey = key
		return Change{}, nil
	})
}
