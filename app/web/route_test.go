package web

import (
	"strings"
	"testing"

	"gatehouse/app/account"
	"gatehouse/app/staff"
)

func TestRoute_mustSayWhoItIsFor(t *testing.T) {
	t.Parallel()
	ok := answer("ok")
	for name, c := range map[string]struct {
		r    Route
		want string // part of the complaint; "" for none
	}{
		"stated": {Route{Method: "GET", Path: "/a", For: Open, Do: ok}, ""},
		"token with scope": {Route{
			Method: "GET", Path: "/a", For: CustomerToken, Scope: "chat",
			Right: account.Look, Do: ok,
		}, ""},
		"no audience":          {Route{Method: "GET", Path: "/a", Do: ok}, "no audience"},
		"unknown audience":     {Route{Method: "GET", Path: "/a", For: "all", Do: ok}, "no audience"},
		"no handler":           {Route{Method: "GET", Path: "/a", For: Open}, "no handler"},
		"path without slash":   {Route{Method: "GET", Path: "a", For: Open, Do: ok}, "path"},
		"method in lower case": {Route{Method: "get", Path: "/a", For: Open, Do: ok}, "method"},
		"token without scope":  {Route{Method: "GET", Path: "/a", For: StaffToken, Needs: staff.OrdersRead, Do: ok}, "scope"},
		"scope without token": {Route{
			Method: "GET", Path: "/a", For: Customer, Right: account.Look,
			Scope: "chat", Do: ok,
		}, "scope"},
		"fresh for anyone":           {Route{Method: "POST", Path: "/a", For: Anyone, Fresh: true, Do: ok}, "fresh"},
		"private page may be cached": {Route{Method: "GET", Path: "/a", For: Staff, Needs: staff.Own, Cache: true, Do: ok}, "cached"},
		"staff without permission":   {Route{Method: "GET", Path: "/a", For: Staff, Do: ok}, "permission"},
		"staff, unknown permission":  {Route{Method: "GET", Path: "/a", For: Staff, Needs: "all", Do: ok}, "permission"},
		"staff token without one":    {Route{Method: "GET", Path: "/a", For: StaffToken, Scope: "admin", Do: ok}, "permission"},
		"permission for customers": {Route{
			Method: "GET", Path: "/a", For: Customer, Right: account.Look,
			Needs: staff.Own, Do: ok,
		}, "permission"},
		"customers without a right": {Route{Method: "GET", Path: "/a", For: Customer, Do: ok}, "right"},
		"customers, unknown right":  {Route{Method: "GET", Path: "/a", For: Customer, Right: "all", Do: ok}, "right"},
		"a token without a right":   {Route{Method: "GET", Path: "/a", For: CustomerToken, Scope: "customer", Do: ok}, "right"},
		"a right for staff": {Route{
			Method: "GET", Path: "/a", For: Staff, Needs: staff.Own,
			Right: account.Look, Do: ok,
		}, "right"},
		"unknown limit": {Route{Method: "GET", Path: "/a", For: Open, Limit: "x", Do: ok}, "limit"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := c.r.check()
			if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
				t.Errorf("check() = %q, want %q", got, c.want)
			}
		})
	}
}

func TestNew_refusesARouteTwice(t *testing.T) {
	t.Parallel()
	r := Route{Method: "GET", Path: "/healthz", For: Open, Do: answer("mine")}
	_, err := New(Config{Addr: "127.0.0.1:0", PublicURL: "http://localhost"}, Deps{}, r)
	if err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("New with /healthz stated twice: %v", err)
	}
}
