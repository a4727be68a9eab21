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

// Keys are the keys that open the link: the one that does, one that is offered to the hub, and the one before. All are durable
// before the hub hears of the offer: whenever this server or the hub breaks off, one of them opens the link. The one before does
// at a hub whose database was put back to an earlier state. Client tries them by turns.
type Keys struct {
	dir string

	mu    sync.Mutex
	id    Identity
	tried int // how many were turned away since one opened the link
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

// usable lists the keys in the order in which they are tried.
func (i Identity) usable() []ed25519.PrivateKey {
	all := []ed25519.PrivateKey{i.opens()}
	for _, k := range []ed25519.PrivateKey{i.Next, i.Former} {
		if k != nil {
			all = append(all, k)
		}
	}
	return all
}

// try is the key to open the link with now.
func (k *Keys) try() ed25519.PrivateKey {
	k.mu.Lock()
	defer k.mu.Unlock()
	all := k.id.usable()
	return all[k.tried%len(all)]
}

// turnedAway says that the hub does not know the server by the key that was tried.
func (k *Keys) turnedAway() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.tried++
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
		id := k.id
		id.Next = next
		if err := k.save(id); err != nil {
			return wire.KeyOffer{}, err
		}
	}
	failpoint.Hit("link.key_offered")
	return wire.OfferKey(k.id.ServerID, k.id.opens(), k.id.Next), nil
}

// ErrNotOffered says that a key was taken that this server has not offered.
var ErrNotOffered = errors.New("this key was not offered")

// Taken makes the offered key the one that opens the link, and keeps the one before. fresh is false for a repeat.
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
	id := k.id
	id.Link, id.Next, id.Former = id.Next, nil, id.opens()
	return true, k.save(id)
}

// opened notes which key the hub has let this server in by, and says whether that is news. One that was offered is the hub's
// from now on, whether or not its answer came. By the one before, a hub knows the server whose database was put back: that key
// opens the link again, and the later one is on offer.
func (k *Keys) opened(key ed25519.PrivateKey) (fresh bool, err error) {
	k.mu.Lock()
	former := k.id.Former
	k.tried = 0
	if former == nil || !key.Equal(former) {
		k.mu.Unlock()
		return k.Taken(idOf(key))
	}
	defer k.mu.Unlock()
	id := k.id
	id.Link, id.Next, id.Former = former, id.opens(), nil
	return true, k.save(id)
}

// ID names the key that opens the link.
func (k *Keys) ID() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return idOf(k.id.opens())
}

func idOf(key ed25519.PrivateKey) string { return wire.KeyID(key.Public().(ed25519.PublicKey)) }

// save puts the keys into the identity's file, whole or not at all; they count once they are there.
func (k *Keys) save(id Identity) error {
	path := filepath.Join(k.dir, identityFile)
	raw, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("save link key: %w", err)
	}
	var s stored
	if err := json.Unmarshal(raw, &s); err != nil {
		return fmt.Errorf("save link key: %w", err)
	}
	s.Link, s.Next, s.Former = seedOf(id.Link), seedOf(id.Next), seedOf(id.Former)
	if raw, err = json.MarshalIndent(s, "", "  "); err != nil {
		return fmt.Errorf("save link key: %w", err)
	}
	if err := writeDurably(path, raw); err != nil {
		return fmt.Errorf("save link key: %w", err)
	}
	k.id = id
	return nil
}

func seedOf(key ed25519.PrivateKey) string {
	if key == nil {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(key.Seed())
}
