package vault_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"slices"
	"testing"
	"unicode/utf8"

	"gatehouse/agentd/vault"
)

// TestSeal_nonces: none twice, of a hundred thousand, or with GATEHOUSE_SOAK of ten million. Of each its first 8 bytes are
// compared: even of those no two of ten million meet, but once in three hundred thousand runs.
func TestSeal_nonces(t *testing.T) {
	t.Parallel()
	n := 100_000
	if os.Getenv("GATEHOUSE_SOAK") != "" {
		n = 10_000_000
	}
	key, seen := make([]byte, 32), make([]uint64, n)
	for i := range seen {
		box, err := vault.Seal(key, nil, "")
		if err != nil {
			t.Fatal(err)
		}
		seen[i] = binary.BigEndian.Uint64(box)
	}
	slices.Sort(seen)
	if len(slices.Compact(seen)) != n {
		t.Fatal("a nonce came twice")
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
