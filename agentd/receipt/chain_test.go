package receipt_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"gatehouse/agentd/receipt"
	"gatehouse/agentd/store"
	"gatehouse/agentd/wire"
)

// TestCheckpoint_namesTheOneBefore: each checkpoint goes on from the last one, and signs that it does.
func TestCheckpoint_namesTheOneBefore(t *testing.T) {
	t.Parallel()
	w := open(t, 3)
	for range 3 {
		if err := w.Checkpoint(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.add(t, receipt.Entry{Type: "call.requested", RunID: "run-a"})
	}
	before := receipt.Head{Hash: receipt.Genesis}
	for i, c := range w.out.sent {
		if c.PrevSeq != before.Seq || c.PrevHash != before.Hash {
			t.Fatalf("checkpoint %d goes on from %d %s, want %v", i, c.PrevSeq, c.PrevHash, before)
		}
		sig, err := base64.RawURLEncoding.DecodeString(c.Signature)
		if err != nil || !ed25519.Verify(w.pub, wire.CheckpointText(server, c), sig) {
			t.Fatalf("checkpoint %d is not signed", i)
		}
		for name, other := range map[string]wire.Checkpoint{"number": moved(c), "hash": renamed(c), "the form of version 1": bare(c)} {
			if ed25519.Verify(w.pub, wire.CheckpointText(server, other), sig) {
				t.Errorf("checkpoint %d holds with another %s", i, name)
			}
		}
		before = receipt.Head{Seq: c.Seq, Hash: c.Hash}
	}
	kept, err := receipt.Checkpoints(t.Context(), w.db.Read())
	if err != nil || len(kept) != 3 || kept[2].PrevHash != w.out.sent[2].PrevHash {
		t.Fatalf("kept %+v, %v", kept, err)
	}
	if err := receipt.Held(t.Context(), w.db.Read(), server, w.pub, kept); err != nil {
		t.Error(err)
	}
}

func moved(c wire.Checkpoint) wire.Checkpoint {
	c.PrevSeq++
	return c
}

func renamed(c wire.Checkpoint) wire.Checkpoint {
	c.PrevHash = strings.Repeat("ab", 32)
	return c
}

func bare(c wire.Checkpoint) wire.Checkpoint {
	c.PrevSeq, c.PrevHash = 0, ""
	return c
}

// TestCheckpoint_tellsOfARewrittenLog: who rewrites the log below the last checkpoint, and leaves the checkpoints as
// they were, lets the next one give it away; a record that is gone gives none at all.
func TestCheckpoint_tellsOfARewrittenLog(t *testing.T) {
	t.Parallel()
	w := open(t, 5)
	if err := w.Checkpoint(t.Context()); err != nil {
		t.Fatal(err)
	}
	other := strings.Repeat("cd", 32)
	tamper(t, filepath.Join(w.dir, store.File), "UPDATE receipts SET hash = ? WHERE seq = 5", other)
	w.add(t, receipt.Entry{Type: "call.requested"})
	if err := w.Checkpoint(t.Context()); err != nil {
		t.Fatal(err)
	}
	if c := w.out.sent[1]; c.PrevSeq != 5 || c.PrevHash != other || w.out.sent[0].Hash == other {
		t.Fatalf("%+v", c)
	}
	tamper(t, filepath.Join(w.dir, store.File), "UPDATE receipts SET seq = 99 WHERE seq = 6")
	w.add(t, receipt.Entry{Type: "call.requested"})
	var broken *receipt.Broken
	if err := w.Checkpoint(t.Context()); !errors.As(err, &broken) || broken.Seq != 6 {
		t.Fatal(err)
	}
}

// TestHashes gives what there is and nothing more.
func TestHashes(t *testing.T) {
	t.Parallel()
	w := open(t, 5)
	got, err := w.Hashes(t.Context(), wire.HashesParams{Seqs: []int64{5, 2, 99, -1}})
	if err != nil || len(got.Hashes) != 2 {
		t.Fatalf("%v, %v", got, err)
	}
	for _, r := range w.all(t) {
		if want, asked := got.Hashes[r.Seq]; asked && want != r.Hash {
			t.Errorf("receipt %d has hash %s, said to be %s", r.Seq, r.Hash, want)
		}
	}
	if none, err := w.Hashes(t.Context(), wire.HashesParams{}); err != nil || len(none.Hashes) != 0 {
		t.Errorf("%v, %v", none, err)
	}
	var refused *wire.RPCError
	if _, err := w.Hashes(t.Context(), wire.HashesParams{Seqs: make([]int64, wire.MaxHashes+1)}); !errors.As(err, &refused) {
		t.Error(err)
	}
}
