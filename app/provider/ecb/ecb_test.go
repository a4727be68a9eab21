package ecb_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"gatehouse/app/billing/rates"
	"gatehouse/app/pricing"
	"gatehouse/app/provider/ecb"
)

// file is the form in which the bank publishes.
const file = `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
	<gesmes:subject>Reference rates</gesmes:subject>
	<gesmes:Sender><gesmes:name>European Central Bank</gesmes:name></gesmes:Sender>
	<Cube><Cube time='2026-11-27'><Cube currency='JPY' rate='163.40'/><Cube currency='USD' rate='1.0876'/></Cube></Cube>
</gesmes:Envelope>`

// TestLatest: the dollar of the newest day is read, turned round and rounded once; what is no such file is said to be none.
func TestLatest(t *testing.T) {
	t.Parallel()
	friday := time.Date(2026, 11, 27, 0, 0, 0, 0, time.UTC)
	other := httptest.NewServer(answers(http.StatusOK, file))
	t.Cleanup(other.Close)
	for situation, c := range map[string]struct {
		handler    http.Handler
		rate       pricing.Rate
		unreadable bool // else not reached, where there is no rate
	}{
		"as it is published": {answers(http.StatusOK, file), 919_456, false},
		"an error":           {answers(http.StatusInternalServerError, file), 0, false},
		"not there":          {answers(http.StatusNotFound, ""), 0, false},
		"a page":             {answers(http.StatusOK, "<!DOCTYPE html><html><body><p>Sorry<br></body></html>"), 0, true},
		"nothing":            {answers(http.StatusOK, ""), 0, true},
		"no dollar":          {answers(http.StatusOK, strings.Replace(file, "USD", "CHF", 1)), 0, true},
		"no day":             {answers(http.StatusOK, strings.Replace(file, "2026-11-27", "yesterday", 1)), 0, true},
		"a rate of nothing":  {answers(http.StatusOK, strings.Replace(file, "1.0876", "0.0", 1)), 0, true},
		"a rate of letters":  {answers(http.StatusOK, strings.Replace(file, "1.0876", "1e900000", 1)), 0, true},
		"below nothing":      {answers(http.StatusOK, strings.Replace(file, "1.0876", "-1.0876", 1)), 0, true},
		"endless":            {answers(http.StatusOK, file+strings.Repeat(" ", 1<<20)), 0, true},
		"led elsewhere":      {http.RedirectHandler(other.URL, http.StatusFound), 0, false},
	} {
		t.Run(situation, func(t *testing.T) {
			t.Parallel()
			bank := httptest.NewServer(c.handler)
			defer bank.Close()
			p, err := ecb.Client{Address: func() string { return bank.URL }}.Latest(t.Context())
			if p.Rate != c.rate && c.rate != 0 || (err != nil) != (c.rate == 0) || errors.Is(err, rates.ErrUnreadable) != c.unreadable {
				t.Errorf("%v, %v", p, err)
			}
			if c.rate != 0 && !p.Day.Equal(friday) {
				t.Errorf("of %s", p.Day)
			}
		})
	}
}

func answers(status int, body string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body) // who has read enough hangs up
	})
}
