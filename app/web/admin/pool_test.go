package admin_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"testing"
	"time"

	"gatehouse/app/pool"
	"gatehouse/db"
)

// looker finds what the test says of a machine, by its address.
type looker map[string]error

func (l looker) PublicKey(context.Context) (string, error) { return "ssh-ed25519 AAAAthehub", nil }

func (l looker) Look(_ context.Context, m pool.Machine) (pool.Facts, error) {
	return pool.Facts{HostKey: "ssh-ed25519 AAAA", System: "Debian 12, 2 CPU"}, l[m.Address]
}

func (h *hub) machines() *pool.Service {
	//nolint:staticcheck // for people
	away := errors.New("The machine does not answer over SSH. Check the address, the port and the provider's firewall.")
	return &pool.Service{Store: &db.Pool{DB: h.db}, Looker: looker{"away.example": away}, Codes: h.codes, Now: time.Now}
}

// TestPool: a machine is added, looked at, held, freed and removed; what is wrong with it or with what was typed is said.
func TestPool(t *testing.T) {
	t.Parallel()
	h := start(t)
	page := h.doc(t, h.admin, "/admin/pool").Text()
	holds(t, "the empty page", page, []string{"ssh-ed25519 AAAAthehub", "no machine in the pool yet"}, nil)
	add := func(name, address string) string {
		t.Helper()
		return h.toast(t, h.admin, "/admin/pool", url.Values{"name": {name}, "address": {address}, "region": {"eu"}})
	}
	holds(t, "one that is well", add("first", "first.example"), []string{"first is ready: Debian 12, 2 CPU."}, nil)
	holds(t, "one that is away", add("away", "away.example"),
		[]string{"away could not be checked. The machine does not answer over SSH."}, nil)
	refused := h.wants(t, http.StatusUnprocessableEntity, h.admin, "/admin/pool", "name", "", "address", "bad address", "port", "x",
		"region", "eu")
	holds(t, "what was typed wrong", refused, []string{
		"Give the machine a name", "Type a host name or an IP address", "Type a port",
		`value="bad address"`,
	}, nil)
	refused = h.wants(t, http.StatusUnprocessableEntity, h.admin, "/admin/pool", "name", "once more", "address", "first.example",
		"region", "eu")
	holds(t, "an address that is there", refused, []string{
		"A machine with this address is in the pool already.", `value="once more"`, `value="first.example"`,
	}, nil)
	all, err := h.machines().List(t.Context())
	must(t, err)
	if len(all) != 2 || all[0].State != pool.Held || all[1].State != pool.Free {
		t.Fatalf("in the pool: %+v", all)
	}
	at := "/admin/pool/" + string(all[1].ID)
	field := "host_key-" + string(all[1].ID)
	refused = h.wants(t, http.StatusUnprocessableEntity, h.admin, at, "act", "host_key", field, "no key")
	holds(t, "a key that is none", refused, []string{"Paste one line", `value="no key"`}, nil)
	holds(t, "another key", h.toast(t, h.admin, at, url.Values{"act": {"host_key"}, field: {"ssh-ed25519 AAAA root@first"}}),
		[]string{"first is ready: Debian 12, 2 CPU."}, nil)
	if m, err := h.machines().Get(t.Context(), all[1].ID); err != nil || m.HostKey != "ssh-ed25519 AAAA" {
		t.Errorf("it is known by %q, %v", m.HostKey, err)
	}
	for _, step := range [][2]string{
		{"hold", "first is held back"},
		{"free", "first is available"},
		{"check", "first is ready"},
		{"remove", "first was removed"},
	} {
		path, form := "/admin/pool/"+string(all[1].ID), url.Values{"act": {step[0]}}
		if step[0] == "remove" {
			form = h.confirmed(t, h.admin, path, form)
		}
		holds(t, step[0], h.toast(t, h.admin, path, form), []string{step[1]}, nil)
	}
}
