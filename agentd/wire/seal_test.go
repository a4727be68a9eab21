package wire

import (
	"bytes"
	"errors"
	"slices"
	"testing"
)

func TestSeal_roundTripAndEveryFlip(t *testing.T) {
	t.Parallel()
	pub, priv, err := NewSealKey()
	if err != nil {
		t.Fatal(err)
	}
	plain := []byte(`{"text":"we open at nine"}`)
	s, err := Seal(pub, SealInfo(TypeChatMessage, "f1"), plain)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(s.Box, []byte("nine")) {
		t.Fatal("the sealed body holds the text")
	}
	got, err := Open(priv, SealInfo(TypeChatMessage, "f1"), s)
	if err != nil || !bytes.Equal(got, plain) {
		t.Fatalf("open: %q, %v", got, err)
	}
	for i := range s.Box {
		bent := Sealed{Box: slices.Clone(s.Box)}
		bent.Box[i] ^= 1
		if _, err := Open(priv, SealInfo(TypeChatMessage, "f1"), bent); !errors.Is(err, ErrSealed) {
			t.Fatalf("byte %d flipped: %v, want ErrSealed", i, err)
		}
	}
}

func TestSeal_forOnePurposeAndKey(t *testing.T) {
	t.Parallel()
	pub, priv, _ := NewSealKey()
	_, stranger, _ := NewSealKey()
	s, err := Seal(pub, SealInfo(TypeChatMessage, "f1"), []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	for name, try := range map[string][2]string{
		"another frame": {priv, SealInfo(TypeChatMessage, "f2")},
		"another type":  {priv, SealInfo(TypeApprovalDecision, "f1")},
		"another key":   {stranger, SealInfo(TypeChatMessage, "f1")},
	} {
		if _, err := Open(try[0], try[1], s); !errors.Is(err, ErrSealed) {
			t.Errorf("%s: %v, want ErrSealed", name, err)
		}
	}
	if _, err := Seal("no key", "i", nil); err == nil {
		t.Error("sealing to rubbish succeeds")
	}
}

func FuzzOpen(f *testing.F) {
	pub, priv, err := NewSealKey()
	if err != nil {
		f.Fatal(err)
	}
	s, err := Seal(pub, "i", []byte("plain"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte{})
	f.Add(s.Box[:40])
	f.Fuzz(func(t *testing.T, box []byte) {
		if plain, err := Open(priv, "i", Sealed{Box: box}); err == nil && !bytes.Equal(box, s.Box) {
			t.Fatalf("a forged box opens to %q", plain)
		}
	})
}
