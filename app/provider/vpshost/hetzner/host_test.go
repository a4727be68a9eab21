package hetzner_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hetznercloud/hcloud-go/v2/hcloud/schema"
	"golang.org/x/crypto/ssh"

	"gatehouse/app/provider/target"
	"gatehouse/app/provider/vpshost"
	"gatehouse/app/provider/vpshost/hetzner"
	"gatehouse/app/provider/vpshost/hetzner/hetznertest"
	"gatehouse/app/provider/vpshost/setup"
	"gatehouse/app/provider/vpshost/vpshosttest"
)

// notes keeps machines in memory. It is hetzner.Store; db.Rented is the one of the hub.
type notes map[string]hetzner.Machine

func (n notes) Rented(_ context.Context, serverID string) (hetzner.Machine, error) {
	if m, ok := n[serverID]; ok {
		return m, nil
	}
	return hetzner.Machine{}, hetzner.ErrNone
}

func (n notes) Keep(_ context.Context, m hetzner.Machine) error { n[m.ServerID] = m; return nil }
func (n notes) Forget(_ context.Context, serverID string) error { delete(n, serverID); return nil }

var seed = bytes.Repeat([]byte{7}, 32)

func host(t *testing.T, p *hetznertest.Project, kept notes) *hetzner.Host {
	t.Helper()
	key, err := ssh.NewSignerFromKey(ed25519.NewKeyFromSeed(seed))
	if err != nil {
		t.Fatal(err)
	}
	wanted, err := hetzner.ParseWanted("eu=cx23@nbg1, eu/scale=cx33@nbg1", []string{"eu", "na"})
	if err != nil {
		t.Fatal(err)
	}
	return hetzner.New(hetzner.Options{
		Token: hetznertest.Token, Endpoint: p.URL, Wanted: wanted, Store: kept, KeySeed: seed, Boot: time.Minute,
		Site: &setup.Site{Runner: &setup.Runner{Key: key}},
	})
}

func spec(id string) vpshost.Spec {
	return vpshost.Spec{ServerID: id, Slug: "bakery", Plan: "build", Region: "eu"}
}

// TestAllocate: a machine is made once, with the hub's key and the host key that is expected of it, and deleted once.
func TestAllocate(t *testing.T) {
	t.Parallel()
	p, kept := hetznertest.New(t), notes{}
	var orders []schema.ServerCreateRequest
	p.Boot = func(o schema.ServerCreateRequest, key string) string {
		if orders = append(orders, o); !strings.HasPrefix(key, "ssh-ed25519 ") {
			t.Errorf("made with key %q", key)
		}
		return "127.0.0.7"
	}
	h := host(t, p, kept)
	big := spec("s2")
	big.Plan = "scale"
	for _, s := range []vpshost.Spec{spec("s1"), spec("s1"), big} {
		if err := h.Allocate(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	if len(orders) != 2 || orders[0].ServerType.Name != "cx23" || orders[1].ServerType.Name != "cx33" {
		t.Fatalf("ordered %+v", orders)
	}
	m := kept["s1"]
	if m.Address != "127.0.0.7" || m.Port != 22 || m.HostKey != given(t, orders[0].UserData) || m.HostKey == kept["s2"].HostKey {
		t.Errorf("kept %+v", m)
	}
	for range 2 {
		if err := h.Release(t.Context(), "s1"); err != nil {
			t.Fatal(err)
		}
	}
	if left := p.Servers(); len(left) != 1 || left[0].Labels["gatehouse-server"] != "s2" || len(kept) != 1 {
		t.Errorf("left %+v and %+v", left, kept)
	}
}

// TestSetName: the address leads back to the server's name, however often that is asked for; what the provider refuses is said.
func TestSetName(t *testing.T) {
	t.Parallel()
	p, kept := hetznertest.New(t), notes{}
	h := host(t, p, kept)
	if err := h.Allocate(t.Context(), spec("s1")); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := h.SetName(t.Context(), "s1", "bakery.hosted.example.net"); err != nil {
			t.Fatal(err)
		}
	}
	if all := p.Servers(); len(all) != 1 || all[0].PublicNet.IPv4.DNSPtr != "bakery.hosted.example.net" {
		t.Errorf("it leads back to %+v", all[0].PublicNet.IPv4)
	}
	if err := h.SetName(t.Context(), "s1", "bakery.localhost"); err == nil {
		t.Error("a name that leads nowhere was taken")
	}
	if err := h.SetName(t.Context(), "s2", "other.example.net"); !errors.Is(err, hetzner.ErrNone) {
		t.Errorf("without a machine: %v", err)
	}
}

// given is the public half of the host key that a machine gets with its first boot.
func given(t *testing.T, data string) string {
	t.Helper()
	text, isConfig := strings.CutPrefix(data, "#cloud-config\n")
	var config struct {
		Passwords bool              `json:"ssh_pwauth"`
		Keys      map[string]string `json:"ssh_keys"`
	}
	if err := json.Unmarshal([]byte(text), &config); err != nil || !isConfig || config.Passwords {
		t.Fatalf("user data %q, %v", data, err)
	}
	private, err := ssh.ParsePrivateKey([]byte(config.Keys["ed25519_private"]))
	if err != nil {
		t.Fatal(err)
	}
	public := target.KeyText(private.PublicKey())
	if public != config.Keys["ed25519_public"] {
		t.Errorf("the two halves do not fit")
	}
	return public
}

// TestAllocate_badAnswers: whatever the API answers, one machine at most is made, and a later try ends well or says what to do.
func TestAllocate_badAnswers(t *testing.T) {
	t.Parallel()
	for situation, c := range map[string]struct {
		faults  []hetznertest.Fault
		refused string // what to do; empty: the same or a later try ends well
		tries   int
	}{
		"made, and the answer lost": {
			[]hetznertest.Fault{{Method: http.MethodPost, Path: "/servers", After: true}}, "", 2,
		},
		"made, and the answer an error": {
			[]hetznertest.Fault{{Method: http.MethodPost, Path: "/servers", After: true, Status: 500, Code: "server_error"}}, "", 2,
		},
		"too many requests": {
			[]hetznertest.Fault{{Method: http.MethodGet, Path: "/servers", Status: 429, Code: "rate_limit_exceeded"}}, "", 1,
		},
		"a bad gateway": {
			[]hetznertest.Fault{{Method: http.MethodGet, Path: "/servers", Status: 502, Code: "bad_gateway"}}, "", 1,
		},
		"it does not start": {
			[]hetznertest.Fault{{Method: http.MethodPost, Path: "/servers", Action: true}}, "", 2,
		},
		"token refused": {
			[]hetznertest.Fault{{Method: http.MethodGet, Path: "/servers", Status: 401, Code: "unauthorized"}}, "HETZNER_TOKEN", 1,
		},
		"token may only read": {
			[]hetznertest.Fault{{Method: http.MethodPost, Path: "/ssh_keys", Status: 403, Code: "forbidden"}}, "only read", 1,
		},
		"as many as there may be": {
			[]hetznertest.Fault{{Method: http.MethodPost, Path: "/servers", Status: 403, Code: "resource_limit_exceeded"}}, "Raise its limit", 1,
		},
		"none free": {
			[]hetznertest.Fault{{Method: http.MethodPost, Path: "/servers", Status: 422, Code: "resource_unavailable"}}, "Try again later", 1,
		},
		"no such kind": {
			[]hetznertest.Fault{{Method: http.MethodPost, Path: "/servers", Status: 422, Code: "invalid_input"}}, "HETZNER_MACHINES", 1,
		},
	} {
		t.Run(situation, func(t *testing.T) {
			t.Parallel()
			p, kept := hetznertest.New(t), notes{}
			p.Fail(c.faults...)
			h := host(t, p, kept)
			var err error
			for range c.tries {
				err = h.Allocate(t.Context(), spec("s1"))
			}
			var refused *vpshost.RefusedError
			if errors.As(err, &refused) != (c.refused != "") || err == nil != (c.refused == "") {
				t.Fatalf("after %d tries: %v", c.tries, err)
			}
			if refused != nil && !strings.Contains(refused.Reason, c.refused) {
				t.Errorf("says %q", refused.Reason)
			}
			if err := h.Allocate(t.Context(), spec("s1")); err != nil || p.Made() != 1 || kept["s1"].RentedID == 0 {
				t.Errorf("at the end: %v, %d made, kept %+v", err, p.Made(), kept)
			}
			if err != nil && strings.Contains(err.Error(), hetznertest.Token) {
				t.Errorf("the token stands in %q", err)
			}
		})
	}
}

// TestAllocate_noneForRegion: an order that no entry fits says so, and orders nothing.
func TestAllocate_noneForRegion(t *testing.T) {
	t.Parallel()
	p := hetznertest.New(t)
	s := spec("s1")
	s.Region = "na"
	var refused *vpshost.RefusedError
	if err := host(t, p, notes{}).Allocate(t.Context(), s); !errors.As(err, &refused) || p.Made() != 0 {
		t.Errorf("%v, %d made", err, p.Made())
	}
}

// TestRelease_badAnswers: what cannot be deleted stays on record.
func TestRelease_badAnswers(t *testing.T) {
	t.Parallel()
	p, kept := hetznertest.New(t), notes{}
	h := host(t, p, kept)
	if err := h.Allocate(t.Context(), spec("s1")); err != nil {
		t.Fatal(err)
	}
	p.Fail(hetznertest.Fault{Method: http.MethodDelete, Path: "/servers", Status: 423, Code: "protected"})
	var refused *vpshost.RefusedError
	if err := h.Release(t.Context(), "s1"); !errors.As(err, &refused) || len(kept) != 1 {
		t.Errorf("%v, kept %+v", err, kept)
	}
	p.Fail(hetznertest.Fault{Method: http.MethodDelete, Path: "/servers", After: true}) // deleted, and the answer lost
	_ = h.Release(t.Context(), "s1")
	if err := h.Release(t.Context(), "s1"); err != nil || len(kept) != 0 || len(p.Servers()) != 0 {
		t.Errorf("%v, kept %+v", err, kept)
	}
}

func TestParseWanted(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "eu", "eu=cx23", "EU=cx23@nbg1", "xx=cx23@nbg1", "eu=a@b,eu=c@d", "eu/=a@b", "eu=a@b,"} {
		if w, err := hetzner.ParseWanted(text, []string{"eu", "na"}); err == nil {
			t.Errorf("%q: %v", text, w)
		}
	}
}

func TestContract(t *testing.T) {
	t.Parallel()
	p := hetznertest.New(t)
	vpshosttest.Contract(t, host(t, p, notes{}), func() int { return len(p.Servers()) })
}
