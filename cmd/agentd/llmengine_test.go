package main

import (
	"bytes"
	"crypto/rand"
	"strings"
	"testing"

	"gatehouse/agentd/redact"
)

// TestInProcess: the log of the model proxy knows the secrets that agentd has handed over. It is not parallel: the
// engine is the whole process's.
func TestInProcess(t *testing.T) {
	before := redact.Current()
	defer redact.Use(before)
	value := "plain words " + strings.ToLower(rand.Text()[:10]) // nothing but the registry tells that it is a secret
	inProcess([]redact.Known{{Name: "shop.phrase", Value: value}})
	var out bytes.Buffer
	logger(&out, "info").Info("endpoint not reached", "address", "https://models.test/?q="+strings.ReplaceAll(value, " ", "%20"))
	if s := out.String(); strings.Contains(s, value[12:]) || !strings.Contains(s, "shop.phrase") {
		t.Errorf("logged %s", s)
	}
}
