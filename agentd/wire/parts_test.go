package wire_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"gatehouse/agentd/wire"
)

func frameOf(t *testing.T, id string, size int) wire.Frame {
	t.Helper()
	body, err := json.Marshal(strings.Repeat("x", size))
	if err != nil {
		t.Fatal(err)
	}
	return wire.Frame{V: wire.Version, ID: id, Type: wire.TypeAlert, Seq: 7, Body: body}
}

func TestEncode_joinsToTheSame(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]int{"small": 10, "just one": wire.MaxFrame - 500, "two": wire.MaxFrame + 1, "many": 7 << 20} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := frameOf(t, "f1", size)
			msgs, err := wire.Encode(want)
			if err != nil {
				t.Fatal(err)
			}
			var j wire.Joiner
			for i, m := range msgs {
				if len(m) > wire.MaxFrame {
					t.Errorf("message %d has %d bytes", i, len(m))
				}
				got, ok, err := j.Decode(m)
				if err != nil {
					t.Fatal(err)
				}
				if last := i == len(msgs)-1; ok != last {
					t.Fatalf("message %d of %d: whole = %v", i+1, len(msgs), ok)
				}
				if ok && (got.Seq != want.Seq || got.ID != want.ID || !bytes.Equal(got.Body, want.Body)) {
					t.Fatal("the joined frame differs")
				}
			}
		})
	}
}

func TestEncode_tooLarge(t *testing.T) {
	t.Parallel()
	if _, err := wire.Encode(frameOf(t, "f1", wire.MaxBody)); !errors.Is(err, wire.ErrTooLarge) {
		t.Fatalf("got %v, want ErrTooLarge", err)
	}
}

func TestJoiner_refuses(t *testing.T) {
	t.Parallel()
	msgs, err := wire.Encode(frameOf(t, "f1", 3<<20))
	if err != nil {
		t.Fatal(err)
	}
	for name, order := range map[string][]int{"last before first": {1}, "hole": {0, 2}, "twice": {0, 0}, "again from the middle": {0, 1, 1}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var j wire.Joiner
			var err error
			for _, i := range order {
				_, _, err = j.Decode(msgs[i])
			}
			if !errors.Is(err, wire.ErrParts) {
				t.Fatalf("got %v, want ErrParts", err)
			}
		})
	}
}

func TestJoiner_boundsUnfinished(t *testing.T) {
	t.Parallel()
	var j wire.Joiner
	var err error
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		msgs, encErr := wire.Encode(frameOf(t, id, 2<<20))
		if encErr != nil {
			t.Fatal(encErr)
		}
		_, _, err = j.Decode(msgs[0])
	}
	if !errors.Is(err, wire.ErrParts) {
		t.Fatalf("a fifth unfinished frame: got %v, want ErrParts", err)
	}
}
