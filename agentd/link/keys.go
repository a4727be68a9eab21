package link

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"gatehouse/agentd/failpoint"
	"gatehouse/agentd/wire"
)

// Keys are the keys that open the link: the one that does, and one that is offered to the hub. Both are durable before the
// hub hears of the second, and the first is forgotten once the hub is known to have taken the second: whenever this server
// or the hub breaks off, one of them opens the link. Client tries them by turns.
type Keys struct {
	dir string

	mu    sync.Mutex
	id    Identity
	other bool // the last one tried was turned away: try the offered one
}

// OpenKeys makes Keys of an identity that was loaded from the state directory.
func OpenKeys(stateDir string, id Identity) *Keys { return &Keys{dir: stateDir, id: id} }

// opens is the key that opens the link as far as is known.
func (i Identity) opens() ed25519.PrivateKey {
	if i.Link != nil {
		return i.Link
	}
	return i.Key
}

// try is the key to open the link with now.
func (k *Keys) try() ed25519.PrivateKey {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.other && k.id.Next != nil {
		return k.id.Next
	}
	return k.id.opens()
}

// turnedAway says that the hub does not know the server by the key that was tried.
func (k *Keys) turnedAway() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.other = !k.other && k.id.Next != nil
}

// Offer makes a new key, or takes the one that was offered before, and signs it for the hub.
func (k *Keys) Offer() (wire.KeyOffer, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.id.Next == nil {
		_, next, err := ed25519.GenerateKey(rand.Reader)
		if err != nil {
			return wire.KeyOffer{}, fmt.Errorf("new link key: %w", err)
		}
		if err := k.save(k.id.Link, next); err != nil {
			return wire.KeyOffer{}, err
		}
		k.id.Next = next
	}
	failpoint.Hit("link.key_offered")
	return wire.OfferKey(k.id.ServerID, k.id.opens(), k.id.Next), nil
}

// ErrNotOffered says that a key was taken that this server has not offered.
var ErrNotOffered = errors.New("this key was not offered")

// Taken makes the offered key the one that opens the link, and forgets the one before. fresh is false for a repeat.
func (k *Keys) Taken(keyID string) (fresh bool, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if keyID == idOf(k.id.opens()) {
		return false, nil
	}
	if k.id.Next == nil || keyID != idOf(k.id.Next) {
		return false, ErrNotOffered
	}
	failpoint.Hit("link.key_taken")
	if err := k.save(k.id.Next, nil); err != nil {
		return false, err
	}
	k.id.Link, k.id.Next, k.other = k.id.Next, nil, false
	return true, nil
}

// ID names the key that opens the link.
func (k *Keys) ID() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return idOf(k.id.opens())
}

func idOf(key ed25519.PrivateKey) string { return wire.KeyID(key.Public().(ed25519.PublicKey)) }

// save puts the keys into the identity's file, whole or not at all.
func (k *Keys) save(opens, next ed25519.PrivateKey) error {
	path := filepath.Join(k.dir, identityFile)
	raw, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("save link key: %w", err)
	}
	var s stored
	if err := json.Unmarshal(raw, &s); err != nil {
		return fmt.Errorf("save link key: %w", err)
	}
	s.Link, s.Next = seedOf(opens), seedOf(next)
	if raw, err = json.MarshalIndent(s, "", "  "); err != nil {
		return fmt.Errorf("save link key: %w", err)
	}
	if err := writeDurably(path, raw); err != nil {
		return fmt.Errorf("save link key: %w", err)
	}
	return nil
}

func seedOf(key ed25519.PrivateKey) string {
	if key == nil {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(key.Seed())
}
