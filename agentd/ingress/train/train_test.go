package main

import (
	"bytes"
	"os"
	"testing"
)

// TestFit_reproducible: the model that ships is the one that the texts make.
func TestFit_reproducible(t *testing.T) {
	t.Parallel()
	all, err := texts("..")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../model.bin")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(fit(all).Bytes(), got) {
		t.Error("model.bin is not what the texts make: run go generate ./agentd/ingress")
	}
}

func TestGrammar(t *testing.T) {
	t.Parallel()
	g := grammar{}
	for _, line := range []string{"a = x {b} | x {b}", "b = 1 | 1", "c = {c}", `d = {"k": 1}`} {
		if err := g.define(line); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.define("no rule"); err == nil {
		t.Error("a line without a sign is a rule")
	}
	for form, want := range map[string]string{"{a}!": "x 1!", "{d}": `{"k": 1}`} {
		if got, err := g.expand(form, random(1), 0); err != nil || got != want {
			t.Errorf("%s: %q, %v", form, got, err)
		}
	}
	for _, form := range []string{"{c}", "{missing}"} {
		if got, err := g.expand(form, random(1), 0); err == nil {
			t.Errorf("%s gives %q", form, got)
		}
	}
}
