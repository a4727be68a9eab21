package openaiorg_test

import (
	"strings"
	"testing"
	"time"

	"gatehouse/app/modelkey"
	"gatehouse/app/provider/openaiorg"
	"gatehouse/app/provider/openaiorg/orgtest"
)

var t0 = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

func start(t *testing.T) (*orgtest.Org, *openaiorg.Client) {
	t.Helper()
	o, closes := orgtest.New()
	t.Cleanup(closes)
	return o, openaiorg.New(openaiorg.Options{URL: o.URL, Key: orgtest.AdminKey, Project: orgtest.Project})
}

// TestMake: each name has one service account, also after an answer was lost, and the key in it is that of the last try.
func TestMake(t *testing.T) {
	t.Parallel()
	o, c := start(t)
	var last modelkey.Key
	for _, name := range []string{"a", "b", "c", "d", "c"} { // c twice: the first answer was lost
		k, err := c.Make(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		last = k
	}
	all := o.Accounts()
	if len(all) != 4 || all[3].Name != "c" || all[3].Secret != last.Secret || all[3].KeyID != last.ID || all[3].ID != last.Account {
		t.Errorf("%+v, last %s", all, last.ID)
	}
	for range 2 { // a repeat is no error
		if err := c.End(t.Context(), last.Account); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(o.Accounts()); n != 3 {
		t.Errorf("%d are left", n)
	}
}

// TestCount: each hour of a long time is counted once over all pages, answers and vectors together.
func TestCount(t *testing.T) {
	t.Parallel()
	o, c := start(t)
	o.Use("key_1", t0, orgtest.Used{Input: 10, Output: 1})
	o.Use("key_1", t0.Add(17*time.Hour), orgtest.Used{Input: 5, Output: 2, Embedded: 100})
	o.Use("key_1", t0.Add(48*time.Hour), orgtest.Used{Input: 9999})
	o.Use("key_2", t0, orgtest.Used{Input: 777})
	all, err := c.Count(t.Context(), "key_1", t0, t0.Add(48*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	var in, out int64
	for _, h := range all {
		in, out = in+h.Input, out+h.Output
	}
	if in != 115 || out != 3 || len(all) != 3 || !all[1].Start.Equal(t0.Add(17*time.Hour)) {
		t.Errorf("%+v", all)
	}
}

// TestFaults: what is refused, garbled, without end, or about somebody else is an error, and says no key.
func TestFaults(t *testing.T) {
	t.Parallel()
	o, c := start(t)
	stranger := openaiorg.New(openaiorg.Options{URL: o.URL, Key: "sk-admin-wrong-key", Project: orgtest.Project})
	_, err := stranger.Make(t.Context(), "a")
	if err == nil || !strings.Contains(err.Error(), "401") || strings.Contains(err.Error(), "wrong-key") {
		t.Errorf("a wrong key: %v", err)
	}
	for _, status := range []int{429, 500} {
		o.Fail(status)
		if _, err := c.Count(t.Context(), "key_1", t0, t0.Add(time.Hour)); err == nil {
			t.Errorf("%d is no error", status)
		}
	}
	for what, text := range map[string]string{
		"no JSON":           `<html>`,
		"another key":       `{"data":[{"start_time":1,"results":[{"input_tokens":1,"api_key_id":"key_2"}]}]}`,
		"less than nothing": `{"data":[{"start_time":1,"results":[{"input_tokens":-1,"api_key_id":"key_1"}]}]}`,
		"no next page":      `{"data":[],"has_more":true,"next_page":""}`,
		"no end":            `{"data":[],"has_more":true,"next_page":"again"}`,
	} {
		o.Garble(text)
		if _, err := c.Count(t.Context(), "key_1", t0, t0.Add(time.Hour)); err == nil {
			t.Errorf("%s is no error", what)
		}
	}
	if openaiorg.New(openaiorg.Options{Key: "k"}).Ready() {
		t.Error("ready without a project")
	}
}
