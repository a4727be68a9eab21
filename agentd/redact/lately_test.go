package redact_test

import (
	"bytes"
	"fmt"
	"sync"
	"testing"

	"gatehouse/agentd/redact"
)

// TestBytes_learntLater: that a text was clean a moment ago says nothing once there is another secret.
func TestBytes_learntLater(t *testing.T) {
	t.Parallel()
	value := "winter" + "-" + "palace" + "-" + "1917"
	text := []byte(`{"text":"it is ` + value + ` today"}`)
	e := redact.New()
	for range 2 {
		if got := e.Bytes(text); !bytes.Equal(got, text) {
			t.Fatalf("a text without secrets became %s", got)
		}
	}
	e.SetSecrets([]redact.Known{{Name: "door.code", Value: value}})
	for range 2 {
		if got := e.Bytes(text); bytes.Contains(got, []byte(value)) {
			t.Fatal("a text that was clean before its secret was known leaves with it")
		}
	}
	e.SetSecrets(nil)
	if got := e.Bytes(text); !bytes.Equal(got, text) {
		t.Errorf("a text whose secret was forgotten became %s", got)
	}
}

// TestBytes_crowd: texts that share a place in the memory do not answer for each other.
func TestBytes_crowd(t *testing.T) {
	t.Parallel()
	value := "summer" + "-" + "palace" + "-" + "1860"
	e := redact.NewWith([]redact.Known{{Name: "door.code", Value: value}})
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for i := range 3000 {
				clean := fmt.Appendf(nil, `{"n":%d,"text":"all is well with %d"}`, i, g)
				if got := e.Bytes(clean); !bytes.Equal(got, clean) {
					t.Errorf("became %s", got)
				}
				if got := e.Bytes(fmt.Appendf(nil, `{"n":%d,"text":"%s"}`, i, value)); bytes.Contains(got, []byte(value)) {
					t.Errorf("left as %s", got)
				}
			}
		})
	}
	all.Wait()
}
