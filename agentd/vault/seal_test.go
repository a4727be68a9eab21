package vault_test

import (
	"bytes"
	"errors"
	"testing"
	"unicode/utf8"

	"gatehouse/agentd/vault"
)

// TestSeal_nonces: none twice, of a quarter of a million.
func TestSeal_nonces(t *testing.T) {
	t.Parallel()
	key, seen := make([]byte, 32), map[[24]byte]bool{}
	for range 250_000 {
		box, err := vault.Seal(key, nil, "")
		if err != nil {
			t.Fatal(err)
		}
		n := [24]byte(box[:24])
		if seen[n] {
			t.Fatal("a nonce came twice")
		}
		seen[n] = true
	}
}

func FuzzSeal(f *testing.F) {
	f.Add([]byte("plain"), "data", uint16(3), byte(1))
	f.Fuzz(func(t *testing.T, plain []byte, data string, at uint16, flip byte) {
		key := bytes.Repeat([]byte{7}, 32)
		box, err := vault.Seal(key, plain, data)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := vault.Unseal(key, box, data); err != nil || !bytes.Equal(back, plain) {
			t.Fatalf("%v", err)
		}
		if _, err := vault.Unseal(key, box, data+"x"); !errors.Is(err, vault.ErrTampered) {
			t.Fatal("opens with other data")
		}
		if flip != 0 {
			box[int(at)%len(box)] ^= flip
			if _, err := vault.Unseal(key, box, data); !errors.Is(err, vault.ErrTampered) {
				t.Fatal("opens though a bit was flipped")
			}
		}
		if _, err := vault.Unseal(key, box[:int(at)%len(box)], data); !errors.Is(err, vault.ErrTampered) {
			t.Fatal("opens though it was cut")
		}
	})
}

func FuzzParseEnv(f *testing.F) {
	for _, s := range []string{"A_B=c\n", "# x\n\nA_B='c d'\n", `A_B="c\n\"d"` + "\n", "A_B=\"x\" y", "a.b=c=d", "A_B=`id`", "A_B='", "\xff"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		names, values, err := vault.Parse(raw)
		if err != nil {
			if len(names) > 0 || !errors.Is(err, vault.ErrInvalid) {
				t.Fatalf("%d names with %v", len(names), err)
			}
			return
		}
		seen := map[string]bool{}
		for i, n := range names {
			if vault.CheckName(n) != nil || seen[n] || values[i] == "" || !utf8.ValidString(values[i]) {
				t.Fatalf("%q", n)
			}
			seen[n] = true
		}
	})
}
