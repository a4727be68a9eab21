package link

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"gatehouse/agentd/wire"
)

// identityFile holds the keys and what the hub answered, in the state directory.
const identityFile = "identity.json"

// Identity is who this server is to its hub.
type Identity struct {
	ServerID string             // empty until registered
	Hub      string             // public origin of the hub, part of every signature
	LinkURL  string             // where the hub said the link is
	Config   wire.Config        // what the hub gave at registration
	Key      ed25519.PrivateKey // signs cards, lists of keys and checkpoints, for as long as the server is; opens the link until Link does
	Link     ed25519.PrivateKey // opens the link, since Key was relieved of it; nil before
	Next     ed25519.PrivateKey // offered to the hub to open the link; nil: none
	Former   ed25519.PrivateKey // opened the link before Link did; nil: none
	Command  string             // the hub's command key, as it was given at registration; may be empty
	Seal     string             // private key that opens sealed bodies
	sealPub  string
}

// Registered says whether a hub knows these keys.
func (i Identity) Registered() bool { return i.ServerID != "" }

// stored is the form of the file.
type stored struct {
	Key        string                 `json:"key"` // seed, base64url
	SealPublic string                 `json:"seal_public"`
	Seal       string                 `json:"seal"`
	Answer     *wire.RegisterResponse `json:"answer,omitempty"` // nil until registered
	Link       string                 `json:"link,omitempty"`   // seed, base64url; likewise Next and Former
	Next       string                 `json:"next,omitempty"`
	Former     string                 `json:"former,omitempty"`
}

// LoadIdentity reads the identity from the state directory; it answers fs.ErrNotExist before the first registration
// was tried.
func LoadIdentity(stateDir string) (Identity, error) {
	raw, err := os.ReadFile(filepath.Join(stateDir, identityFile))
	if err != nil {
		return Identity{}, fmt.Errorf("load identity: %w", err)
	}
	var s stored
	if err := json.Unmarshal(raw, &s); err != nil {
		return Identity{}, fmt.Errorf("load identity: %w", err)
	}
	id := Identity{Seal: s.Seal, sealPub: s.SealPublic}
	if id.Key, err = keyOf(s.Key); err != nil {
		return Identity{}, err
	}
	for _, k := range []struct {
		text string
		into *ed25519.PrivateKey
	}{{s.Link, &id.Link}, {s.Next, &id.Next}, {s.Former, &id.Former}} {
		if k.text == "" {
			continue
		}
		if *k.into, err = keyOf(k.text); err != nil {
			return Identity{}, err
		}
	}
	if a := s.Answer; a != nil {
		id.ServerID, id.Hub, id.LinkURL, id.Config, id.Command = a.ServerID, a.Hub, a.LinkURL, a.Config, a.CommandKey
	}
	return id, nil
}

func keyOf(text string) (ed25519.PrivateKey, error) {
	seed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(seed) != ed25519.SeedSize {
		return nil, errors.New("load identity: the key is damaged")
	}
	return ed25519.NewKeyFromSeed(seed), nil
}

// loadOrMake gives the identity of the state directory; a new one is durable before it is used, so that a
// registration whose answer was lost can be repeated with the same keys.
func loadOrMake(stateDir string) (Identity, error) {
	id, err := LoadIdentity(stateDir)
	if !errors.Is(err, fs.ErrNotExist) {
		return id, err
	}
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return Identity{}, fmt.Errorf("make identity: %w", err)
	}
	pub, priv, err := wire.NewSealKey()
	if err != nil {
		return Identity{}, fmt.Errorf("make identity: %w", err)
	}
	id = Identity{Key: key, Seal: priv, sealPub: pub}
	return id, id.save(stateDir, nil)
}

// save writes the identity with what the hub answered.
func (i Identity) save(stateDir string, answer *wire.RegisterResponse) error {
	raw, err := json.MarshalIndent(stored{
		Key: base64.RawURLEncoding.EncodeToString(i.Key.Seed()), SealPublic: i.sealPub, Seal: i.Seal, Answer: answer,
	}, "", "  ")
	if err != nil {
		return fmt.Errorf("save identity: %w", err)
	}
	if err := writeDurably(filepath.Join(stateDir, identityFile), raw); err != nil {
		return fmt.Errorf("save identity: %w", err)
	}
	return nil
}

// writeDurably puts a file in place whole or not at all, readable by this user alone.
func writeDurably(path string, raw []byte) error {
	tmp := path + ".new"
	f, err := os.OpenFile(tmp, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(raw)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(tmp, path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
