package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestDaemon_await: the link of an agentd may come up before or after agentd says that it is ready, and both orders
// are one start. A message of the start before does not count.
func TestDaemon_await(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string]string{
		"ready first": `{"msg":"agentd is ready"}` + "\n" + `{"msg":"link is up"}`,
		"link first":  `{"msg":"link is up"}` + "\n" + `{"msg":"agentd is ready"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bin := filepath.Join(t.TempDir(), "agentd")
			say := func(lines string) {
				if err := os.WriteFile(bin, []byte("#!/bin/sh\ntrap '' TERM\ncat >&2 <<'END'\n"+lines+"\nEND\n"), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			say(lines)
			d := &daemon{bin: bin}
			if _, err := d.start(t.Context(), saysReady); err != nil {
				t.Fatal(err)
			}
			if err := d.await(t.Context(), saysLinked); err != nil {
				t.Error(err)
			}
			if err := d.stop(); err != nil {
				t.Error(err)
			}
			say(`{"msg":"agentd is ready"}`)
			if _, err := d.start(t.Context(), saysReady); err != nil {
				t.Fatal(err)
			}
			if err := d.await(t.Context(), saysLinked); err == nil {
				t.Error("the second start found the message of the first")
			}
			if err := d.stop(); err != nil {
				t.Error(err)
			}
		})
	}
}
