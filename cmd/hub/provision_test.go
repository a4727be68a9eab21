package main

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"gatehouse/app/provider/vpshost/setup"
	"gatehouse/db"
)

// TestProvision_dryRun: the plan names the order, the machine and each step in its order, and no secret.
func TestProvision_dryRun(t *testing.T) {
	t.Parallel()
	env := environment(t)
	env["MODEL_BASE_URL"], env["MODEL_NAME"], env["MODEL_API_KEY"] = "http://127.0.0.1:9/v1", "some-model", "sk-not-to-be-printed-1234567890"
	d, err := db.Open(t.Context(), env["DATABASE_URL"])
	ok(t, err)
	defer d.Close()
	srv, err := (&db.Servers{DB: d}).Find(t.Context(), ordered(t, d))
	ok(t, err)
	plan := func(args ...string) (int, string) {
		var out output
		code := run(t.Context(), call{args: append([]string{"provision"}, args...), env: env, out: &out, err: &out})
		return code, out.String()
	}
	code, text := plan("--dry-run", "--host", "machine.example", "--order", srv.OrderID)
	if code != 0 || !strings.Contains(text, "machine.example") || !strings.Contains(text, "some-model") {
		t.Errorf("plan: %d %s", code, text)
	}
	at := 0
	for _, s := range setup.Steps() {
		i := strings.Index(text[at:], s.Name)
		if i < 0 || !strings.Contains(text, s.About()) {
			t.Errorf("step %s is missing or out of order: %s", s.Name, text)
			continue
		}
		at += i
	}
	if _, whole := plan("--dry-run", "--host", "m", "--order", srv.OrderID, "--scripts"); !strings.Contains(whole, "do_it() {") {
		t.Errorf("scripts: %s", whole)
	} else if strings.Contains(whole+text, env["MODEL_API_KEY"]) {
		t.Error("the plan prints the model's key")
	}
	for want, args := range map[int][]string{
		2: {"--host", "m", "--order", srv.OrderID}, // not dry
		1: {"--dry-run", "--host", "m", "--order", uuid.NewString()},
	} {
		if code, text := plan(args...); code != want {
			t.Errorf("%v: %d %s", args, code, text)
		}
	}
	if code, _ := plan("--dry-run", "--host", "m", "--order", "1001"); code != 2 {
		t.Errorf("an order that is no id: %d", code)
	}
}
