package e2e

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"gatehouse/agentd/leakscan"
)

// plant names a value that may stand in no log and no table of this hub's world. Every test ends with a search for all.
func (h *hub) plant(name, value string) {
	h.planting.Lock()
	defer h.planting.Unlock()
	if c := (leakscan.Canary{Name: name, Value: value}); !slices.Contains(h.planted, c) {
		h.planted = append(h.planted, c)
	}
}

// plantDemo plants what signs in to the demo, and what allows there.
func (h *hub) plantDemo() {
	d := h.Demo
	for name, value := range map[string]string{
		"the owner's password": d.Customer.Password, "the owner's API token": d.Customer.APIToken,
		"the staff's password": d.Staff.Password, "the staff's API token": d.Staff.APIToken, "the staff's TOTP secret": d.Staff.TOTPSecret,
	} {
		h.plant(name, value)
	}
	if key, _ := pem.Decode([]byte(d.Approver.PrivateKeyPEM)); key != nil {
		h.plant("the approver's key", string(key.Bytes))
	}
}

// plantCookies plants what this browser is signed in by.
func (p *page) plantCookies() {
	p.t.Helper()
	p.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		all, err := cdp.Call(ctx, t, network.GetCookies, network.GetCookiesParams{})
		if err != nil {
			return err
		}
		for _, c := range all.Cookies {
			if strings.HasSuffix(c.Name, "sid") {
				p.hub.plant("the cookie "+c.Name, c.Value)
			}
		}
		return nil
	}))
}

// search fails the test when a planted value stands where it may not. A hub that does not run anymore was searched when
// it was stopped: its database goes with it.
func (h *hub) search(t *testing.T) {
	t.Helper()
	if h.searched && len(h.pids(t, "")) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), waitLimit)
	defer cancel()
	found, err := h.leaked(ctx)
	if err != nil {
		t.Errorf("search for planted values: %v", err)
	}
	for _, leak := range found {
		t.Error(leak)
	}
	h.searched = true
}

// noise is what stands all over logs and tables: ids, times, digests and the numbers of processes.
var noise = regexp.MustCompile(`[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\d[T ][\d:.]+|\b[0-9a-f]{64}\b|\[\d+\]`)

// cut ends a piece where there is noise. What would be text when read as hex is none.
func cut(match string) string {
	if b, err := hex.DecodeString(match); err == nil && !bytes.ContainsFunc(b, unicode.IsControl) && utf8.Valid(b) {
		return match
	}
	return `"`
}

// leaked finds planted values. Taking layers off costs more than in proportion to a text, and most lines repeat others:
// each piece between quotes and noise is looked through once, unless it is shorter than every value.
func (h *hub) leaked(ctx context.Context) (found []leakscan.Leak, err error) {
	h.planting.Lock()
	s, least := leakscan.New(h.planted...), len(slices.MinFunc(h.planted, func(a, b leakscan.Canary) int { return len(a.Value) - len(b.Value) }).Value)
	h.planting.Unlock()
	logs, err := h.logLines()
	rows, dbErr := h.rows(ctx)
	seen := map[string]bool{}
	for _, p := range append(logs, rows...) {
		for piece := range strings.SplitSeq(noise.ReplaceAllStringFunc(p.text, cut), `"`) {
			if len(piece) >= least && !seen[piece] {
				seen[piece] = true
				found = append(found, s.Bytes(p.where, []byte(piece))...)
			}
		}
	}
	return found, errors.Join(err, dbErr)
}
