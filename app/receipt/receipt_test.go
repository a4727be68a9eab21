package receipt_test

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/redact"
	"gatehouse/agentd/wire"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/receipt"
	"gatehouse/app/server"
)

// anchor is a store in memory of one server; db.Checkpoints is the real one and tested on its own.
type anchor struct {
	kept  []wire.Checkpoint // of the present history
	holds []receipt.Hold
	open  bool
	trail []audit.Entry
}

func (a *anchor) Head(_ context.Context, l receipt.Log) (c wire.Checkpoint, err error) {
	for _, k := range a.kept {
		if k.Seq > c.Seq && k.KeyID == l.KeyID {
			c = k
		}
	}
	return c, nil
}

func (a *anchor) At(_ context.Context, l receipt.Log, seq int64) (wire.Checkpoint, error) {
	for _, k := range a.kept {
		if k.Seq == seq && k.KeyID == l.KeyID {
			return k, nil
		}
	}
	return wire.Checkpoint{}, nil
}

func (a *anchor) Add(_ context.Context, _ server.ID, c wire.Checkpoint, _ time.Time) error {
	a.kept = append(a.kept, c)
	return nil
}

func (a *anchor) List(_ context.Context, l receipt.Log, limit int) (out []wire.Checkpoint, err error) {
	for _, k := range slices.Backward(a.kept) {
		if k.KeyID == l.KeyID && len(out) < limit {
			out = append(out, k)
		}
	}
	return out, nil
}

func (a *anchor) Hold(_ context.Context, h receipt.Hold) error {
	if !a.open {
		a.open, a.holds = true, append(a.holds, h)
	}
	return nil
}

func (a *anchor) Held(context.Context, server.ID) (receipt.Hold, error) {
	if !a.open {
		return receipt.Hold{}, nil
	}
	return a.holds[len(a.holds)-1], nil
}

func (a *anchor) AllHeld(context.Context, int) ([]receipt.Hold, error) { return a.holds, nil }

func (a *anchor) Release(_ context.Context, _ server.ID, _ time.Time, e audit.Entry) (bool, error) {
	was := a.open
	if was {
		a.open, a.kept, a.trail = false, nil, append(a.trail, e)
	}
	return was, nil
}

// machine signs as a server does.
type machine struct {
	pub ed25519.PublicKey
	key ed25519.PrivateKey
}

func newMachine(t *testing.T) machine {
	t.Helper()
	pub, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	return machine{pub, key}
}

func (m machine) sign(as string, c wire.Checkpoint) wire.Checkpoint {
	c.Time, c.KeyID = time.Unix(c.Seq, 0), wire.KeyID(m.pub)
	c.Signature = base64.RawURLEncoding.EncodeToString(ed25519.Sign(m.key, wire.CheckpointText(as, c)))
	return c
}

// old is a checkpoint as version 1 makes it.
func (m machine) old(seq int64, hash string) wire.Checkpoint {
	return m.sign("s1", wire.Checkpoint{Seq: seq, Hash: strings.Repeat(hash, 32)})
}

// next is one that goes on from another.
func (m machine) next(seq int64, hash string, from int64, fromHash string) wire.Checkpoint {
	return m.sign("s1", wire.Checkpoint{Seq: seq, Hash: strings.Repeat(hash, 32), PrevSeq: from, PrevHash: strings.Repeat(fromHash, 32)})
}

func TestService_Keep(t *testing.T) {
	t.Parallel()
	m, other := newMachine(t), newMachine(t)
	chain := []wire.Checkpoint{m.next(10, "aa", 0, "00"), m.next(20, "bb", 10, "aa")}
	before := []wire.Checkpoint{m.old(10, "aa"), m.old(20, "bb")}
	forged := m.next(30, "cc", 20, "bb")
	forged.PrevSeq = 10
	for name, c := range map[string]struct {
		kept    []wire.Checkpoint
		from    machine
		next    wire.Checkpoint
		added   bool
		held    string // part of why
		refused bool
	}{
		"it goes on":                                {chain, m, m.next(30, "cc", 20, "bb"), true, "", false},
		"the same again":                            {chain, m, chain[1], false, "", false},
		"an older one again":                        {chain, m, chain[0], false, "", false},
		"the first of all":                          {nil, m, m.next(10, "aa", 0, "00"), true, "", false},
		"the hub is younger than the log":           {nil, m, m.next(900, "aa", 850, "dd"), true, "", false},
		"the hub was set back":                      {chain, m, m.next(60, "ff", 50, "ee"), true, "", false},
		"an old agentd goes on":                     {before, m, m.old(30, "cc"), true, "", false},
		"an old agentd was updated":                 {before, m, m.next(30, "cc", 20, "bb"), true, "", false},
		"the machine was set up anew":               {chain, other, other.next(5, "cc", 0, "00"), true, "", false},
		"set back, and beyond the old head":         {chain, m, m.next(30, "cc", 10, "aa"), false, "goes on from 10", false},
		"begun anew, and beyond the old head":       {chain, m, m.next(30, "cc", 0, "00"), false, "goes on from 0", false},
		"set back to what was no checkpoint":        {chain, m, m.next(30, "cc", 15, "dd"), false, "goes on from 15", false},
		"rewritten, and beyond the old head":        {chain, m, m.next(30, "cc", 20, "dd"), false, "receipt 20 has another hash", false},
		"an updated agentd whose log was rewritten": {before, m, m.next(30, "cc", 20, "dd"), false, "receipt 20 has another hash", false},
		"it says no longer what it goes on from":    {chain, m, m.old(30, "cc"), false, "no longer says", false},
		"another hash":                              {chain, m, m.next(20, "dd", 10, "aa"), false, "rewritten", false},
		"an older one rewritten":                    {chain, m, m.next(10, "dd", 0, "00"), false, "rewritten", false},
		"a head before the last":                    {chain, m, m.next(15, "dd", 10, "aa"), false, "now 15", false},
		"no number":                                 {chain, m, m.old(0, "dd"), false, "is none", false},
		"no hash":                                   {chain, m, m.next(30, "x", 20, "bb"), false, "is none", false},
		"a hash in capitals":                        {chain, m, m.next(30, "CC", 20, "bb"), false, "is none", false},
		"it goes on from itself":                    {chain, m, m.next(30, "cc", 30, "cc"), false, "is none", false},
		"it goes on from no hash":                   {chain, m, m.next(30, "cc", 20, "x"), false, "is none", false},
		"changed after signing":                     {chain, m, forged, false, "", true},
		"signed for another server":                 {chain, m, m.sign("s2", wire.Checkpoint{Seq: 30, Hash: strings.Repeat("cc", 32)}), false, "", true},
		"signed by another server":                  {chain, m, other.next(30, "cc", 20, "bb"), false, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := &anchor{kept: slices.Clone(c.kept)}
			s := &receipt.Service{Store: a, Now: time.Now}
			err := s.Keep(t.Context(), "s1", c.from.pub, c.next)
			if (err != nil) != c.refused || err != nil && fault.Of(err).Kind != fault.Forbidden {
				t.Fatalf("error %v", err)
			}
			if added := len(a.kept) > len(c.kept); added != c.added || a.open != (c.held != "") {
				t.Fatalf("added: %t, held: %+v", added, a.holds)
			}
			if a.open && (!strings.Contains(a.holds[0].Why, c.held) || a.holds[0].Said.Signature != c.next.Signature) {
				t.Errorf("held for %+v", a.holds[0])
			}
			if err := s.MayAllow(t.Context(), "s1"); errors.Is(err, receipt.ErrHeld) != a.open {
				t.Errorf("allowing: %v", err)
			}
		})
	}
}

// TestService_Compare: a server is held when it lacks what is kept or has something else there, and for nothing more.
func TestService_Compare(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	aa, bb, cc := strings.Repeat("aa", 32), strings.Repeat("bb", 32), strings.Repeat("cc", 32)
	for name, c := range map[string]struct {
		has  map[int64]string
		held string
	}{
		"all of it":             {map[int64]string{10: aa, 20: bb}, ""},
		"more than was asked":   {map[int64]string{10: aa, 20: bb, 30: cc}, ""},
		"set back":              {map[int64]string{10: aa}, "receipt 20 was anchored"},
		"nothing":               {nil, "went back"},
		"set back and gone on":  {map[int64]string{10: aa, 20: cc}, "receipt 20 has another hash"},
		"an older one is other": {map[int64]string{10: cc, 20: bb}, "receipt 10 has another hash"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := &anchor{kept: []wire.Checkpoint{m.old(10, "aa"), m.old(20, "bb")}}
			s := &receipt.Service{Store: a, Now: time.Now}
			kept, err := s.Kept(t.Context(), "s1", m.pub)
			if err != nil || len(kept) != 2 {
				t.Fatal(kept, err)
			}
			if err := s.Compare(t.Context(), "s1", kept, wire.HashesResult{Hashes: c.has}); err != nil {
				t.Fatal(err)
			}
			if a.open != (c.held != "") || a.open && !strings.Contains(a.holds[0].Why, c.held) {
				t.Errorf("held: %+v", a.holds)
			}
		})
	}
}

// TestService_Compare_secretByChance: a short secret of a server can stand in the hash of a receipt, and is taken out of
// what the server answers as it is out of everything. That is no break.
func TestService_Compare_secretByChance(t *testing.T) {
	t.Parallel()
	m, s, a := newMachine(t), &receipt.Service{Now: time.Now}, &anchor{}
	s.Store = a
	hash := strings.Repeat("0d1e", 3) + "facade37" + strings.Repeat("5", 44)
	a.kept = []wire.Checkpoint{m.sign("s1", wire.Checkpoint{Seq: 10, Hash: hash}), m.old(20, "bb")}
	answer := func(twenty string) wire.HashesResult {
		t.Helper()
		all := wire.HashesResult{Hashes: map[int64]string{10: hash, 20: strings.Repeat(twenty, 32)}}
		raw, err := json.Marshal(map[string]any{"id": "q", "result": all})
		if err != nil {
			t.Fatal(err)
		}
		var said struct{ Result wire.HashesResult }
		if err := json.Unmarshal(redact.NewWith([]redact.Known{{Name: "door", Value: "facade37"}}).Frame(raw), &said); err != nil {
			t.Fatal(err)
		}
		if said.Result.Hashes[10] == hash {
			t.Fatal("nothing was taken out")
		}
		return said.Result
	}
	if err := s.Compare(t.Context(), "s1", a.kept, answer("bb")); err != nil || a.open {
		t.Errorf("%v, held: %+v", err, a.holds)
	}
	if err := s.Compare(t.Context(), "s1", a.kept, answer("cc")); err != nil || !a.open {
		t.Errorf("%v, a break beside it is not seen", err)
	}
}

// TestService_Compare_released: a person releases a server while it is asked; what it answers about the history before
// does not put it on hold again.
func TestService_Compare_released(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	a := &anchor{kept: []wire.Checkpoint{m.next(20, "bb", 10, "aa")}}
	s := &receipt.Service{Store: a, Now: time.Now}
	if err := s.Keep(t.Context(), "s1", m.pub, m.next(30, "cc", 10, "aa")); err != nil || !a.open {
		t.Fatal(err, a.open)
	}
	kept, err := s.Kept(t.Context(), "s1", m.pub)
	if err != nil || len(kept) != 1 {
		t.Fatal(kept, err)
	}
	if err := s.Release(t.Context(), "s1", audit.Itself, "restored from Monday's copy"); err != nil {
		t.Fatal(err)
	}
	if err := s.Compare(t.Context(), "s1", kept, wire.HashesResult{}); err != nil || a.open {
		t.Errorf("%v, held again: %+v", err, a.holds)
	}
}

// TestService_Release: a person takes the log as it is, with a reason and on record, once.
func TestService_Release(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	a := &anchor{kept: []wire.Checkpoint{m.next(20, "bb", 10, "aa")}}
	s := &receipt.Service{Store: a, Now: time.Now}
	keep := func(c wire.Checkpoint) {
		t.Helper()
		if err := s.Keep(t.Context(), "s1", m.pub, c); err != nil {
			t.Fatal(err)
		}
	}
	keep(m.next(30, "cc", 10, "aa"))
	keep(m.next(40, "dd", 30, "cc"))
	if len(a.holds) != 1 || len(a.kept) != 1 {
		t.Fatalf("held %+v, kept %+v", a.holds, a.kept)
	}
	for _, reason := range []string{"", "  ", strings.Repeat("é", 501)} {
		if err := s.Release(t.Context(), "s1", audit.Itself, reason); fault.Of(err).Kind != fault.Invalid || !a.open {
			t.Errorf("reason %q: %v", reason, err)
		}
	}
	if err := s.Release(t.Context(), "s1", audit.Itself, strings.Repeat("é", 500)); err != nil {
		t.Fatal(err)
	}
	if err := s.MayAllow(t.Context(), "s1"); err != nil || len(a.trail) != 1 || a.trail[0].Target != "s1" || a.trail[0].Details["reason"] == "" {
		t.Fatalf("%v, on record: %+v", err, a.trail)
	}
	if err := s.Release(t.Context(), "s1", audit.Itself, "again"); !errors.Is(err, receipt.ErrNotHeld) {
		t.Error(err)
	}
	keep(m.next(50, "ee", 40, "dd"))
	keep(m.next(60, "ff", 50, "ee"))
	if a.open || len(a.kept) != 2 {
		t.Errorf("held %t, kept %+v", a.open, a.kept)
	}
}
