package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/signin"
	"gatehouse/app/staff"
)

func fails(err error) echo.HandlerFunc { return func(echo.Context) error { return err } }

func TestOnError_neverShowsTheCause(t *testing.T) {
	t.Parallel()
	cause := errors.New("pq: relation secrets_table at 10.0.0.7")
	kinds := []fault.Kind{fault.Invalid, fault.NotFound, fault.Forbidden, fault.Conflict, fault.Gone, fault.TooMany, fault.Away, fault.Internal}
	for _, k := range kinds {
		err := fmt.Errorf("load: %w: %w", fault.New(k, "the-code", "log text "+string(k), "Public words."), cause)
		e := newEdge(t, Config{}, Route{Method: "GET", Path: "/page", For: Open, Do: fails(err)}, Route{Method: "GET", Path: "/api/v1/thing", For: Open, Do: fails(err)})
		page, api := e.do("GET", "/page"), e.do("GET", "/api/v1/thing")
		for _, w := range []interface{ Result() *http.Response }{page, api} {
			if got := w.Result().StatusCode; got != StatusOf(k) {
				t.Errorf("%s: status %d, want %d", k, got, StatusOf(k))
			}
		}
		for _, body := range []string{page.Body.String(), api.Body.String()} {
			if strings.Contains(body, "10.0.0.7") || strings.Contains(body, "log text") || !strings.Contains(body, "Public words.") {
				t.Errorf("%s: body shows the cause or hides the words: %s", k, body)
			}
		}
		if !strings.Contains(e.log.String(), "10.0.0.7") {
			t.Errorf("%s: cause is not in the log", k)
		}
	}
}

func TestOnError_problemDocument(t *testing.T) {
	t.Parallel()
	bad := fault.Bad(map[string]string{"email": "Type one e-mail address."})
	e := newEdge(t, Config{}, Route{Method: "POST", Path: "/api/v1/thing", For: Open, Do: fails(bad)})
	w := e.do("POST", "/api/v1/thing")
	var p Problem
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
		t.Fatal(err)
	}
	if got := w.Header().Get("Content-Type"); got != "application/problem+json" {
		t.Errorf("content type %q", got)
	}
	if p.Type != "invalid" || p.Status != 422 || p.Title == "" || p.Fields["email"] == "" || p.RequestID != w.Header().Get("X-Request-Id") {
		t.Errorf("problem %+v", p)
	}
}

func TestOnError_plainErrorIsOurs(t *testing.T) {
	t.Parallel()
	e := newEdge(t, Config{}, Route{Method: "GET", Path: "/page", For: Open, Do: fails(errors.New("nil map in table x"))})
	w := e.do("GET", "/page")
	if w.Code != 500 || strings.Contains(w.Body.String(), "nil map") || !strings.Contains(w.Body.String(), w.Header().Get("X-Request-Id")) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if !strings.Contains(e.log.String(), `"level":"ERROR"`) {
		t.Error("an internal error is not logged as an error")
	}
}

func TestOnError_leadsToSignIn(t *testing.T) {
	t.Parallel()
	routes := []Route{
		{Method: "GET", Path: "/app/chat", For: Customer, Right: account.Look, Do: answer("confidential")},
		{Method: "POST", Path: "/app/chat", For: Customer, Right: account.Look, Do: answer("confidential")},
		{Method: "GET", Path: "/app/stream", For: Customer, Right: account.Look, Stream: true, Do: answer("confidential")},
		{Method: "GET", Path: "/admin/orders", For: Staff, Needs: staff.OrdersRead, Do: answer("confidential")},
		{Method: "GET", Path: "/api/v1/customer/chat", For: CustomerToken, Right: account.Look, Scope: "chat", Do: answer("confidential")},
		{Method: "GET", Path: "/app/old", For: Open, Do: fails(signin.ErrNotFresh)},
		{Method: "POST", Path: "/app/old/act", For: Open, Do: fails(signin.ErrNotFresh)},
	}
	e := newEdge(t, Config{}, routes...)
	for name, c := range map[string]struct {
		method, path string
		change       func(*http.Request)
		status       int
		location     string
	}{
		"page":            {"GET", "/app/chat?after=1", header("X", "1"), 303, "/auth/sign-in?next=%2Fapp%2Fchat%3Fafter%3D1"},
		"form":            {"POST", "/app/chat", header("X", "1"), 303, "/auth/sign-in"},
		"console":         {"GET", "/admin/orders", header("X", "1"), 303, "/admin/auth/sign-in?next=%2Fadmin%2Forders"},
		"not fresh":       {"GET", "/app/old", header("X", "1"), 303, "/auth/sign-in?next=%2Fapp%2Fold&again=1"},
		"form, not fresh": {"POST", "/app/old/act", header("X", "1"), 303, "/auth/sign-in?next=%2Fapp%2Fold&again=1"},
		"fragment":        {"GET", "/app/chat", header("HX-Request-Type", "partial"), 401, ""},
		"stream":          {"GET", "/app/stream", header("Accept", "text/event-stream"), 401, ""},
		"API":             {"GET", "/api/v1/customer/chat", header("X", "1"), 401, ""},
		"API, rubbish":    {"GET", "/api/v1/customer/chat", header("Authorization", "Bearer other"), 401, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := e.do(c.method, c.path, c.change)
			if w.Code != c.status || w.Header().Get("Location") != c.location || strings.Contains(w.Body.String(), "confidential") {
				t.Errorf("%d to %q, want %d to %q", w.Code, w.Header().Get("Location"), c.status, c.location)
			}
		})
	}
}
