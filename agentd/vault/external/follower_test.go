package external_test

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse/agentd/redact"
	"gatehouse/agentd/vault"
)

// TestLook_versions: a value is fetched once, a new version once it is there, and nothing is asked twice.
func TestLook_versions(t *testing.T) {
	t.Parallel()
	w := open(t)
	first := w.put()
	w.refuses("not fetched")
	w.look()
	w.uses(first)
	w.kv.Asked()
	w.look()
	meta := "GET /v1/apps/kv/metadata/apps/crm"
	if got := w.kv.Asked(); !slices.Equal(got, []string{meta}) {
		t.Errorf("for nothing new it asked %v", got)
	}
	second := w.put()
	w.look()
	w.uses(second)
	if got := w.kv.Asked(); !slices.Equal(got, []string{meta, "GET /v1/apps/kv/data/apps/crm?version=2"}) {
		t.Errorf("for a new version it asked %v", got)
	}
	i := w.info()
	if i.Source != vault.FromExternal || i.Version != 2 || i.Origin.Version != 2 || i.Origin.Path != path || i.Versions[0].There != 2 || i.Versions[1].There != 1 || i.Versions[1].State != "former" {
		t.Errorf("%+v %+v", i, i.Origin)
	}
	if !w.knows(first) || !w.knows(second) {
		t.Error("redaction does not know both values")
	}
	w.kv.Put(path, map[string]any{field: second, "other": "y"})
	w.look()
	if i := w.info(); i.Version != 2 || i.Origin.Version != 3 {
		t.Errorf("another field made version %d of %+v", i.Version, i.Origin)
	}
	audit, err := w.Audit(t.Context(), auditOf())
	if err != nil || len(audit.Items) < 3 || audit.Items[0].Act != "use" {
		t.Errorf("%+v, %v", audit, err)
	}
	if where := w.leaks(first, second); len(where) > 0 {
		t.Errorf("a value stands in %v", where)
	}
}

// TestLook_begunAnew: a secret that was deleted whole and made again has the numbers that it had before.
func TestLook_begunAnew(t *testing.T) {
	t.Parallel()
	w := open(t)
	first := w.put()
	w.look()
	w.kv.Forget(path)
	w.move(time.Second)
	second := w.put()
	w.look()
	w.uses(second)
	if !w.knows(first) {
		t.Error("redaction has forgotten the first value")
	}
}

// TestLook_onePath: secrets of one path are asked for at once, each by its field.
func TestLook_onePath(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.source("crm.other", path+"#other")
	w.source("crm.none", path+"#none")
	first := w.put()
	w.kv.Asked()
	w.look()
	w.uses(first)
	if other, err := w.Own(t.Context(), "crm.other", "test"); err != nil || other.Reveal() != "x" {
		t.Error(err)
	}
	if _, err := w.Own(t.Context(), "crm.none", "test"); err == nil || !strings.Contains(err.Error(), "no such field") {
		t.Error(err)
	}
	data := 0
	for _, q := range w.kv.Asked() {
		data += strings.Count(q, "/data/")
	}
	if data != 1 {
		t.Errorf("the data was asked for %d times", data)
	}
}

// TestLook_knownFirst: whoever is given a new value finds that redaction was told of it before.
func TestLook_knownFirst(t *testing.T) {
	t.Parallel()
	w := open(t)
	var told atomic.Pointer[[]redact.Known]
	w.fail(w.Subscribe(func(all []redact.Known) { told.Store(&all) }))
	w.put()
	w.look()
	for range 20 {
		next := w.put()
		found := make(chan error, 1)
		go func() {
			for t.Context().Err() == nil {
				v, err := w.Own(t.Context(), name, "test")
				if err != nil {
					found <- err
					return
				}
				if v.Reveal() == next {
					if !slices.Contains(*told.Load(), redact.Known{Name: name, Value: next}) {
						err = fmt.Errorf("the value was given out before redaction knew it")
					}
					found <- err
					return
				}
			}
		}()
		w.look()
		if err := <-found; err != nil {
			t.Fatal(err)
		}
	}
}

// TestLook_gone: what is gone there is not used, is still redacted, and comes back when it is back.
func TestLook_gone(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		away  func(w *world)
		words string
		back  func(w *world)
	}{
		"deleted":   {func(w *world) { w.kv.Delete(path, w.now()) }, "deleted", func(w *world) { w.kv.Undelete(path) }},
		"destroyed": {func(w *world) { w.kv.Destroy(path) }, "destroyed", nil},
		"forgotten": {func(w *world) { w.kv.Forget(path) }, "no such secret", nil},
		"emptied":   {func(w *world) { w.kv.Empty(path) }, "no such secret", nil},
		"no field":  {func(w *world) { w.kv.Put(path, map[string]any{"other": "x"}) }, "no such field", nil},
		"no text":   {func(w *world) { w.kv.Put(path, map[string]any{field: 1234567}) }, "no text in it", nil},
		"null":      {func(w *world) { w.kv.Put(path, map[string]any{field: nil}) }, "no text in it", nil},
		"nested":    {func(w *world) { w.kv.Put(path, map[string]any{field: map[string]any{"a": "b"}}) }, "no text in it", nil},
		"empty":     {func(w *world) { w.kv.Put(path, map[string]any{field: ""}) }, "no text in it", nil},
		"too long":  {func(w *world) { w.kv.Put(path, map[string]any{field: strings.Repeat("x", 40<<10)}) }, "no text in it", nil},
		"with NUL":  {func(w *world) { w.kv.Put(path, map[string]any{field: "a\x00b"}) }, "no text in it", nil},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := open(t)
			first := w.put()
			w.look()
			w.uses(first)
			c.away(w)
			w.move(time.Second)
			w.look()
			w.refuses(c.words)
			w.kv.Seal(true)
			w.look()
			w.refuses(c.words) // that nobody can be asked brings nothing back
			w.kv.Seal(false)
			if !w.knows(first) {
				t.Error("redaction has forgotten the value")
			}
			if c.back == nil {
				c.back = func(w *world) { first = w.put() }
			}
			c.back(w)
			w.look()
			w.uses(first)
		})
	}
}

// TestLook_toBeDeleted: a version that will be deleted is there until then.
func TestLook_toBeDeleted(t *testing.T) {
	t.Parallel()
	w := open(t)
	first := w.put()
	w.kv.Delete(path, w.now().Add(time.Hour))
	w.look()
	w.uses(first)
	w.move(2 * time.Hour)
	w.look()
	w.refuses("deleted")
}

// TestLook_age: a value is used up to its longest age while the external vault is away, over a restart too, and the log
// says it once.
func TestLook_age(t *testing.T) {
	t.Parallel()
	w := open(t)
	first := w.put()
	w.look()
	w.kv.Seal(true)
	for range 3 {
		w.move(7 * time.Hour)
		w.look()
	}
	w.uses(first)
	w.follow() // agentd starts again
	w.look()
	w.uses(first)
	w.move(4 * time.Hour)
	w.refuses("more than 24h0m0s ago; the external vault is sealed")
	if !w.knows(first) {
		t.Error("redaction has forgotten the value")
	}
	if n := strings.Count(w.logged(), "does not answer"); n != 2 {
		t.Errorf("told %d times in two lives:\n%s", n, w.logged())
	}
	w.kv.Seal(false)
	w.look()
	w.uses(first)
	if !strings.Contains(w.logged(), "answers again") || w.info().Origin.Trouble != "" {
		t.Error("nobody says that it is well again")
	}
	w.move(-48 * time.Hour)
	w.refuses("ago") // a clock that was set back makes nothing younger
}

// TestLook_quiet: that a version still holds is not written each time, as that would make the registry anew each time.
func TestLook_quiet(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.put()
	w.look()
	told := 0
	w.fail(w.Subscribe(func([]redact.Known) { told++ }))
	for range 48 { // two hours
		w.move(150 * time.Second)
		w.look()
	}
	if told < 2 || told > 4 {
		t.Errorf("redaction was told %d times in two hours", told)
	}
}

// TestUseFetched_notTold: a process that follows nobody gives out nothing.
func TestUseFetched_notTold(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.put()
	w.look()
	other, err := vault.Open(t.Context(), w.db, vault.Keys{Dir: w.dir}, w.now)
	w.fail(err)
	if _, err := other.Own(t.Context(), name, "test"); err == nil || !strings.Contains(err.Error(), "told of none") {
		t.Error(err)
	}
}
