package e2e

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
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

// Plant names a value that may stand in no log and no table of this hub's world. Every test ends with a search for all.
func (h *Hub) Plant(name, value string) {
	h.planting.Lock()
	defer h.planting.Unlock()
	if c := (leakscan.Canary{Name: name, Value: value}); !slices.Contains(h.planted, c) {
		h.planted = append(h.planted, c)
	}
}

// plantDemo plants what signs in to the demo, and what allows there.
func (h *Hub) plantDemo() {
	d := h.Demo
	for name, value := range map[string]string{
		"the owner's password": d.Customer.Password, "the owner's API token": d.Customer.APIToken,
		"the staff's password": d.Staff.Password, "the staff's API token": d.Staff.APIToken, "the staff's TOTP secret": d.Staff.TOTPSecret,
	} {
		h.Plant(name, value)
	}
	if key, _ := pem.Decode([]byte(d.Approver.PrivateKeyPEM)); key != nil {
		h.Plant("the approver's key", string(key.Bytes))
	}
}

// plantCookies plants what this browser is signed in by.
func (p *Page) plantCookies() {
	p.T.Helper()
	p.Do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		all, err := cdp.Call(ctx, t, network.GetCookies, network.GetCookiesParams{})
		if err != nil {
			return err
		}
		for _, c := range all.Cookies {
			if strings.HasSuffix(c.Name, "sid") {
				p.Hub.Plant("the cookie "+c.Name, c.Value)
			}
		}
		return nil
	}))
}

// search fails the test when a planted value stands where it may not. A hub that does not run anymore was searched when
// it was stopped: its database goes with it.
func (h *Hub) search(t *testing.T) {
	t.Helper()
	if h.searched && len(h.PIDs(t, "")) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), WaitLimit)
	defer cancel()
	found, err := h.FindPlanted(ctx)
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

// FindPlanted finds planted values where they may not stand. Decoding a text costs more than in proportion to its length, and
// most lines repeat others: each piece between quotes and noise is scanned once, unless it is shorter than every value.
func (h *Hub) FindPlanted(ctx context.Context) (found []leakscan.Leak, err error) {
	h.planting.Lock()
	shortest := slices.MinFunc(h.planted, func(a, b leakscan.Canary) int { return len(a.Value) - len(b.Value) })
	s, least := leakscan.New(h.planted...), len(shortest.Value)
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

// Random is a value that nothing else says.
func Random() string {
	var b [18]byte
	_, _ = rand.Read(b[:]) // never fails
	return "kX" + base64.RawURLEncoding.EncodeToString(b[:])
}
