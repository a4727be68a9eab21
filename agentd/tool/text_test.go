package tool_test

import (
	"errors"
	"testing"

	"gatehouse/agentd/tool"
)

func TestBytes(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{
		0: "0 bytes", 1: "1 byte", 999: "999 bytes", 1000: "1.0 kB", 3_200_000: "3.2 MB", 7_000_000_000: "7.0 GB", 1 << 62: "4611.7 PB",
	} {
		if got := tool.Bytes(n); got != want {
			t.Errorf("Bytes(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestRefuse_isReadByTheModel(t *testing.T) {
	t.Parallel()
	var r *tool.Refused
	if err := tool.Refuse("no %s", "file"); !errors.As(err, &r) || r.Text != "no file" {
		t.Fatalf("got %v", err)
	}
}
