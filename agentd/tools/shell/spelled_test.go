package shell_test

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"unicode"

	"gatehouse/agentd/leakscan"
)

// TestRun_spellsNoSecrets: redaction cannot know what a program has turned round, put in other letters or taken apart, so
// that where secrets lie nothing is read to begin with: not by a file, not from an environment, not of another process. A
// person allows whatever is asked.
func TestRun_spellsNoSecrets(t *testing.T) {
	const secret = "Zq7hPw3xKv9mTn5rBd2fLs8c"
	w := open(t)
	w.Level = 3
	t.Setenv("SHOP_PASSWORD", secret)
	other := exec.CommandContext(t.Context(), "sleep", "3600")
	other.Env = []string{"SHOP_PASSWORD=" + secret}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Wait() }) // it is killed before: that is its error
	w.Write(t, map[string]string{".env": "SHOP_PASSWORD=" + secret + "\n", "shop/.env": "SHOP_PASSWORD=" + secret + "\n", ".pgpass": "db:5432:shop:app:" + secret + "\n", "notes.txt": "see " + secret + "\n"})
	sources := []string{
		"cat .env", "cat ./shop/../.env", "head -c 999 shop/.env", "sed -n p .e*", "grep -h . shop/.env", "awk 1 .env", "sort .pgpass", "cut -c1-99 .pgpass", "dd if=.env", "tail -n +1 -- .env",
		"printenv", "env", "printenv SHOP_PASSWORD", "echo $SHOP_PASSWORD", "set", "cat /proc/self/environ", fmt.Sprintf("cat /proc/%d/environ", other.Process.Pid), "cat /proc/*/environ", "cat /proc/1/environ", "ps eww",
	}
	turned := []string{
		"", " | rev", " | xxd -p", " | od -An -tx1", " | od -An -c", " | base64", " | base32", " | tr A-Za-z N-ZA-Mn-za-m", " | fold -w1", " | sed 's/./& /g'", " | gzip -c | base64", " | while read -r -n1 c; do echo \"$c\"; done",
	}
	scan := leakscan.New(leakscan.Canary{Name: "shop", Value: secret})
	leaks := func(text string) bool {
		plain := strings.Map(func(c rune) rune {
			if unicode.IsSpace(c) || c == 0 {
				return -1
			}
			return c
		}, text)
		return len(scan.Bytes("output", []byte(text))) > 0 || strings.Contains(plain, secret) || strings.Contains(plain, "Md7uCj3kXi9zGa5eOq2sYf8p") // in other letters
	}
	for i, from := range some(t, sources) {
		for k, by := range turned {
			if k != 0 && (i+k)%8 != 0 && i != 0 {
				continue
			}
			if o := w.Do(t, "shell", command(from+by)); leaks(o.Text) {
				t.Errorf("%q: %s %s", from+by, o.State, o.Text)
			}
		}
	}
	shown := 0
	for _, by := range turned[1:] {
		if o := w.Do(t, "shell", command("cut -d' ' -f2 notes.txt"+by)); leaks(o.Text) {
			shown++
		}
	}
	if shown < 5 {
		t.Errorf("of what is no secret by its place only %d forms were seen: the test sees nothing", shown)
	}
}
