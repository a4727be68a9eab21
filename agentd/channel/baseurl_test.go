package channel_test

import (
	"os"
	"path/filepath"
	"testing"

	"gatehouse/agentd/channel"
)

// TestBaseURLs: a provider is where the file says, and no token goes over a network unencrypted.
func TestBaseURLs(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"": "",
		"other: {base_url: 'https://a.example'}\n":                  "",
		"telegram: {base_url: 'https://api.example.com/x'}\n":       "https://api.example.com/x",
		"telegram: {base_url: 'http://127.0.0.1:8081'}\n":           "http://127.0.0.1:8081",
		"telegram: {base_url: 'http://api.example.com'}\n":          "refused",
		"telegram: {base_url: 'https://u:p@api.example.com'}\n":     "refused",
		"telegram: {base_url: 'ftp://127.0.0.1'}\n":                 "refused",
		"telegram: {base: 'https://api.example.com'}\n":             "refused",
		"telegram: 'https://api.example.com'\n":                     "refused",
		"telegram: {base_url: 'https://api.example.com?token=x'}\n": "refused",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, channel.ProvidersFile), []byte(raw), 0o600); err != nil {
			t.Fatal(err)
		}
		of, err := channel.BaseURLs(dir)
		if err != nil {
			of = func(string) string { return "refused" }
		}
		if got := of("telegram"); got != want {
			t.Errorf("%q: %q, %v", raw, got, err)
		}
	}
	if of, err := channel.BaseURLs(t.TempDir()); err != nil || of("telegram") != "" {
		t.Errorf("no file: %v", err)
	}
}
