package wire_test

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"math/big"
	"strings"
	"testing"

	"gatehouse/agentd/wire"
)

// TestWords_published holds the format still: six words that people have written down must be the same in a later version.
func TestWords_published(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{"": "wawu nenu dafu hamu tama bipa", "gatehouse": "nebu bera tasa tifa kepa mipu"} {
		if got := wire.Words([]byte(key)); got != want {
			t.Errorf("words of %q: %q, want %q", key, got, want)
		}
	}
}

// TestWords_readBack: the words are the first 66 bits of the hash, and nothing of them is lost.
func TestWords_readBack(t *testing.T) {
	t.Parallel()
	const letters = "bdfhjklmnprstvwz"
	for i := range 200 {
		key := []byte{byte(i), byte(i >> 3)}
		read := new(big.Int)
		for _, w := range strings.Fields(wire.Words(key)) {
			n := strings.IndexByte(letters, w[0])<<7 | strings.IndexByte("aeio", w[1])<<5
			n |= strings.IndexByte(letters, w[2])<<1 | strings.IndexByte("au", w[3])
			read.Or(read.Lsh(read, 11), big.NewInt(int64(n)))
		}
		sum := sha256.Sum256(key)
		want := new(big.Int).SetBytes(sum[:])
		if want.Rsh(want, 256-66); want.Cmp(read) != 0 {
			t.Fatalf("words of %x say %x, want %x", key, read, want)
		}
	}
}

// TestVouchKeys: the signature is over the list as it is, in whatever order the keys come, and over this server.
func TestVouchKeys(t *testing.T) {
	t.Parallel()
	identity := ed25519.NewKeyFromSeed([]byte("the seed of every test's server."))
	a := wire.ApproverKey{KeyID: "a", Kind: wire.BrowserKey, Holder: wire.HolderPerson}
	b := wire.ApproverKey{KeyID: "b", Kind: wire.PasskeyKey, Holder: wire.HolderStaff}
	const both = `[{"holder":"person","key_id":"a","kind":"browser"},{"holder":"staff","key_id":"b","kind":"passkey"}]`
	list, err := wire.KeyList([]wire.ApproverKey{b, a})
	if err != nil || string(list) != both {
		t.Fatalf("list %s, %v", list, err)
	}
	if none, err := wire.KeyList(nil); err != nil || string(none) != "[]" {
		t.Errorf("no keys: %s, %v", none, err)
	}
	v, err := wire.VouchKeys("server", []wire.ApproverKey{a, b}, identity)
	if err != nil {
		t.Fatal(err)
	}
	sig, err := hex.DecodeString(v.Sig)
	key, keyErr := hex.DecodeString(v.Key)
	if err != nil || keyErr != nil || !ed25519.Verify(key, wire.KeysText("server", list), sig) || v.Key != wire.CardKey(identity) {
		t.Errorf("vouched %+v, %v, %v", v, err, keyErr)
	}
	if ed25519.Verify(key, wire.KeysText("another", list), sig) {
		t.Error("the signature holds for another server")
	}
}
