package main

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/approval"
	"gatehouse/app/audit"
	"gatehouse/app/order"
	"gatehouse/app/pricing"
	"gatehouse/app/server"
	"gatehouse/app/staff"
	"gatehouse/app/web"
	"gatehouse/app/web/api/apitest"
	"gatehouse/app/work"
	"gatehouse/db"
)

// apiWorld is the hub's own table of routes over two customers, each with a server that answers, and one of the staff.
type apiWorld struct {
	*parts
	t      *testing.T
	url    string
	routes []web.Route
	mine   tenant
	other  tenant
	staff  string // tokens
	ended  string // of mine, revoked
	run    string // of mine, as is the approval
	asked  string
	spec   *apitest.Spec
}

type tenant struct {
	id     account.CustomerID
	user   account.User
	server server.ID
	token  string
	marker string // stands in everything that is this customer's
}

type noJobs struct{}

func (noJobs) EnqueueTx(context.Context, pgx.Tx, []work.Item) error { return nil }

func newAPIWorld(t *testing.T) *apiWorld {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	cfg, err := loadConfig(environment(t))
	ok(t, err)
	p, err := openParts(t.Context(), cfg, log)
	ok(t, err)
	t.Cleanup(p.close)
	w := &apiWorld{parts: p, t: t, run: uuid.NewString(), asked: uuid.NewString()}
	w.routes = p.surfaces(p.newLinks(cfg, log), log)
	edge, err := web.New(cfg.edge(), web.Deps{
		Sessions: p.sessions, Static: http.NotFoundHandler(), Ready: p.ready, Down: db.Down, Log: log, Metrics: prometheus.NewRegistry(), Now: time.Now,
	}, w.routes...)
	ok(t, err)
	l, err := net.Listen("tcp", cfg.Addr)
	ok(t, err)
	srv := httptest.NewUnstartedServer(edge)
	srv.Listener = l
	srv.Start()
	t.Cleanup(srv.Close)
	w.url = srv.URL
	w.spec = w.described()
	w.mine, w.other = w.tenant("zzmine"), w.tenant("zzother")
	ok(t, p.inbox.Receive(t.Context(), approval.Sender{ID: w.mine.server, CustomerID: w.mine.id}, w.question()))
	w.tokensOf()
	return w
}

// described is what the hub says about its API.
func (w *apiWorld) described() *apitest.Spec {
	res, err := http.Get(w.url + "/api/openapi.json")
	ok(w.t, err)
	defer func() { _ = res.Body.Close() }()
	doc, err := io.ReadAll(res.Body)
	ok(w.t, err)
	spec, err := apitest.Load(w.t.Context(), doc)
	ok(w.t, err)
	return spec
}

// tenant adds a customer whose server answers what its own run is asked for, and nothing else.
func (w *apiWorld) tenant(marker string) tenant {
	now, t := time.Now().UTC(), w.t
	v := tenant{id: account.CustomerID(uuid.NewString()), server: server.ID(uuid.NewString()), marker: marker}
	v.user = account.User{ID: account.UserID(uuid.NewString()), CustomerID: v.id, Email: marker + "@example.com", Name: marker, Role: account.Owner, CreatedAt: now}
	o, err := (&db.Orders{DB: w.db, Jobs: noJobs{}}).Create(t.Context(), order.New{
		Order: order.Order{
			ID: order.ID(uuid.NewString()), CustomerID: v.id, OrderedBy: v.user.ID, Plan: pricing.Build, Price: 45_00, Currency: "EUR", PaidBy: "test",
			Region: order.EU, Slug: marker, Mode: order.Auto, State: order.PaymentConfirmed, CreatedAt: now, UpdatedAt: now,
		},
		Account: &account.New{
			Customer: account.Customer{ID: v.id, Name: marker, TimeZone: "UTC", CreatedAt: now}, Owner: v.user,
			PasswordHash: "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
		},
	})
	ok(t, err)
	ok(t, (&db.Servers{DB: w.db}).Create(t.Context(), server.Server{ID: v.server, CustomerID: v.id, OrderID: string(o.ID), Slug: marker, Provider: "local", State: server.New, CreatedAt: now}))
	_, seal, err := wire.NewSealKey()
	ok(t, err)
	_, err = w.db.Pool.Exec(t.Context(), "UPDATE servers SET state = 'online', public_key = $2, key_id = $2, seal_key = $3, registered_at = now() WHERE id = $1", v.server, marker, seal)
	ok(t, err)
	detach, err := w.relay.Attach(t.Context(), string(v.server), 1, answering{w, marker})
	ok(t, err)
	t.Cleanup(detach)
	return v
}

func (w *apiWorld) tokensOf() {
	t, by := w.t, audit.Actor{Kind: audit.System, Name: "test"}
	var err error
	for _, v := range []*tenant{&w.mine, &w.other} {
		v.token, _, err = w.tokens.IssueToUser(t.Context(), v.user, "test", 0, by)
		ok(t, err)
	}
	ended, kept, err := w.tokens.IssueToUser(t.Context(), w.mine.user, "revoked", 0, by)
	ok(t, err)
	ok(t, w.tokens.Revoke(t.Context(), w.mine.id, kept.ID, by))
	w.ended = ended
	m, _, err := w.parts.staff.Create(t.Context(), staff.NewMember{Email: "clerk@example.net", Role: staff.Owner, Password: "three quiet bakers at dawn"}, by)
	ok(t, err)
	w.staff, _, err = w.tokens.IssueToStaff(t.Context(), string(m.ID), "test", 0, by)
	ok(t, err)
}

func (w *apiWorld) question() wire.Approval {
	now := time.Now().UTC()
	q := wire.Approval{
		ID: w.asked, Code: "K7M2QX", ServerID: string(w.mine.server), SessionID: uuid.NewString(), RootRunID: w.run, RunID: w.run, CallID: uuid.NewString(),
		Agent: "it-admin", Tool: "file_delete", Action: "files.file.delete", Args: json.RawMessage(`{"path":"zzmine"}`), ArgsHash: strings.Repeat("ab", 32),
		Tier: "red", PolicyVersion: 1, StagedHash: "-", Summary: "Delete zzmine", Facts: []wire.Fact{}, Reason: "zzmine", WhyAsked: "zzmine",
		CreatedAt: now, ExpiresAt: now.Add(time.Hour).Truncate(time.Second), State: wire.ApprovalPending, Execution: wire.ExecNone,
	}
	q.Digest = wire.DigestOf(q)
	return q
}

// answering is a server's connection: it knows mine's run if it is mine's.
type answering struct {
	w      *apiWorld
	marker string
}

func (answering) Nudge()      {}
func (answering) Fence(int64) {}

func (a answering) Ask(request []byte, reply func([]byte)) {
	var q wire.RPCRequest
	_ = json.Unmarshal(request, &q) // of our own hub
	r := wire.RPCReply{ID: q.ID, Error: &wire.RPCError{Code: "not_found", Text: "There is no such thing."}}
	if result := a.result(q); result != nil {
		r.Error = nil
		r.Result, _ = json.Marshal(result) // of plain structs
	}
	raw, _ := json.Marshal(r)
	reply(raw)
}

func (a answering) result(q wire.RPCRequest) any {
	switch q.Method {
	case wire.MethodEcho:
		return map[string]string{"from": a.marker}
	case wire.MethodAgentsList:
		return wire.AgentsResult{DefaultLevel: 2, Items: []wire.AgentInfo{{ID: "it-admin", Name: a.marker, Level: 2, Tools: []wire.ToolInfo{{Name: "shell"}}, Starters: []string{}}}}
	case wire.MethodSchedulesList:
		return wire.SchedulesResult{Items: []wire.Schedule{a.planned()}}
	case wire.MethodScheduleCreate:
		return a.planned()
	case wire.MethodRunsList:
		return wire.RunsResult{Items: []wire.RunInfo{{ID: a.w.run, Agent: a.marker, State: wire.RunRunning}}}
	case wire.MethodApproverEnrol:
		return wire.Enrolled{Key: wire.ApproverKey{KeyID: a.marker, SPKI: "AA", Kind: wire.BrowserKey, Holder: wire.HolderPerson, AddedBy: "code", CreatedAt: time.Now().UTC()}, Confirm: "AA"}
	case wire.MethodChatPost:
		return wire.ChatAck{RunID: uuid.NewString(), State: wire.RunQueued}
	case wire.MethodRunCancel, wire.MethodRunReceipts, wire.MethodRunEvents, wire.MethodRunGet:
		if a.marker == "zzmine" && strings.Contains(string(q.Params), a.w.run) {
			return a.ofRun(q.Method)
		}
	}
	return nil
}

func (a answering) planned() wire.Schedule {
	return wire.Schedule{
		ID: uuid.NewString(), Agent: "it-admin", Kind: wire.ScheduleCron, Spec: "0 8 * * 1", Title: a.marker, CatchUp: wire.CatchUpOnce,
		Deliver: wire.ScheduleDeliver{To: wire.DeliverSession}, State: wire.ScheduleActive,
	}
}

func (a answering) ofRun(m wire.Method) any {
	switch m {
	case wire.MethodRunGet:
		return wire.Run{RunInfo: wire.RunInfo{ID: a.w.run, RootID: a.w.run, SessionID: a.w.run, Agent: a.marker, State: wire.RunDone}}
	case wire.MethodRunCancel:
		return wire.ChatAck{RunID: a.w.run, State: wire.RunStopped}
	case wire.MethodRunReceipts:
		return wire.ReceiptsResult{Items: []wire.Receipt{{RunID: a.w.run, Tool: a.marker, Body: json.RawMessage("{}")}}, Verified: true}
	}
	final, _ := json.Marshal(wire.FinalData{N: 1, Text: a.marker})
	return wire.EventsResult{Items: []wire.RunEvent{{Root: a.w.run, N: 1, Event: wire.EventFinal, Data: final}}, Last: 1, State: wire.RunDone}
}

// call asks as whoever has the token.
func (w *apiWorld) call(r web.Route, c apiCase, token string) (int, string) {
	ctx, cancel := context.WithTimeout(w.t.Context(), time.Minute)
	defer cancel()
	path := strings.NewReplacer(":run", w.run, ":id", w.asked, ":key", "zzkey").Replace(r.Path)
	req, err := http.NewRequestWithContext(ctx, r.Method, w.url+path, strings.NewReader(c.body))
	ok(w.t, err)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := http.DefaultClient.Do(req)
	ok(w.t, err)
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	ok(w.t, err)
	if err := w.spec.Answer(r.Method, path, res.StatusCode, res.Header.Get("Content-Type"), text); err != nil {
		w.t.Errorf("not as /api/openapi.json says: %v", err)
	}
	return res.StatusCode, string(text)
}

// apiCase is how a route is asked, and what tells that its answer is mine's: its marker, in what it shows.
type apiCase struct {
	body  string
	shows bool // mine's marker to mine, or to staff
	named bool // the path names something of mine's: to anybody else there is none
}

var apiCases = map[string]apiCase{
	"GET /customer/dashboard":        {shows: true},
	"GET /customer/agents":           {shows: true},
	"POST /customer/agents":          {body: `{"act":{}}`},
	"GET /customer/agents/templates": {},
	"GET /customer/agents/:agent":    {},
	"PATCH /customer/agents/:agent":  {body: `{"act":{}}`},
	"DELETE /customer/agents/:agent": {body: `{"act":{}}`},

	"GET /customer/agents/:agent/activity":         {},
	"GET /customer/agents/:agent/conversations":    {},
	"PATCH /customer/agents/:agent/external-comms": {body: `{"tool":"message"}`},
	"PATCH /customer/agents/:agent/colleagues":     {body: `{"colleague":"it-admin"}`},
	"GET /customer/agents/:agent/files/:file":      {},
	"PATCH /customer/agents/:agent/sandbox":        {body: `{"only":true}`},
	"GET /customer/tools":                          {},
	"PATCH /customer/tools/:tool":                  {body: `{"rule":"denied"}`},

	"GET /customer/billing":                 {},
	"GET /customer/billing/plans":           {},
	"GET /customer/billing/plans/:plan":     {},
	"POST /customer/billing/plan":           {body: `{"plan":"scale"}`},
	"POST /customer/billing/cancellation":   {},
	"DELETE /customer/billing/cancellation": {},
	"GET /admin/billing/summary":            {},
	"GET /admin/billing/history":            {},
	"GET /admin/billing/overages":           {},
	"GET /admin/billing/founding":           {},
	"GET /customer/schedules":               {shows: true},
	"POST /customer/schedules": {
		body: `{"agent":"it-admin","kind":"cron","spec":"0 8 * * 1","task":"Look."}`, shows: true,
	},
	"GET /customer/schedules/settings":             {},
	"PUT /customer/schedules/settings":             {body: `{"paused":true,"quiet_from":"","quiet_to":""}`},
	"GET /customer/schedules/due":                  {},
	"GET /customer/schedules/:id":                  {},
	"PATCH /customer/schedules/:id":                {body: `{"state":"paused"}`},
	"DELETE /customer/schedules/:id":               {},
	"GET /customer/schedules/:id/ticks":            {},
	"POST /customer/schedules/:id/run":             {},
	"GET /customer/chat/settings":                  {},
	"PUT /customer/chat/settings":                  {body: `{"queue":"collect"}`},
	"POST /customer/chat":                          {body: `{"text":"hello"}`},
	"GET /customer/chat/:run/events":               {shows: true, named: true},
	"GET /customer/runs/:run":                      {named: true},
	"GET /customer/runs/:run/receipts":             {shows: true, named: true},
	"POST /customer/runs/:run/cancel":              {named: true},
	"GET /customer/approvals":                      {shows: true},
	"GET /customer/approvals/:id":                  {shows: true, named: true},
	"POST /customer/approvals/:id":                 {body: `{"decision":"deny","reason":"no"}`, named: true},
	"GET /customer/approver-keys":                  {},
	"POST /customer/approver-keys":                 {body: `{}`},
	"POST /customer/approver-keys/:key/revoke":     {body: `{}`},
	"GET /customer/event-rules":                    {},
	"POST /customer/event-rules":                   {body: `{"act":{}}`},
	"GET /customer/event-rules/:id":                {},
	"PATCH /customer/event-rules/:id":              {body: `{"act":{}}`},
	"DELETE /customer/event-rules/:id":             {},
	"GET /customer/event-rules/:id/firings":        {},
	"GET /customer/hooks":                          {},
	"POST /customer/hooks":                         {body: `{"act":{}}`},
	"GET /customer/hooks/:id":                      {},
	"PATCH /customer/hooks/:id":                    {body: `{"act":{}}`},
	"DELETE /customer/hooks/:id":                   {},
	"GET /customer/hooks/:id/deliveries":           {},
	"GET /customer/memory":                         {},
	"POST /customer/memory":                        {body: `{"act":{}}`},
	"PATCH /customer/memory/meaning":               {body: `{"model":""}`},
	"GET /customer/business":                       {},
	"PUT /customer/business":                       {body: `{"kind":"shop"}`},
	"PATCH /customer/memory/:id":                   {body: `{"act":{}}`},
	"DELETE /customer/memory/:id":                  {},
	"GET /customer/users":                          {shows: true},
	"POST /customer/users":                         {body: `{"email":"new@example.com","chat":true}`},
	"PATCH /customer/users/:id":                    {body: `{"chat":true}`},
	"DELETE /customer/users/:id":                   {},
	"POST /customer/echo":                          {body: `{}`, shows: true},
	"GET /admin/customers":                         {shows: true},
	"POST /admin/customers":                        {body: `{}`},
	"GET /admin/customers/:id":                     {},
	"PATCH /admin/customers/:id":                   {body: `{}`},
	"POST /admin/customers/:id/invitation":         {body: `{}`},
	"DELETE /admin/customers/:id/invitation":       {},
	"GET /admin/customers/:id/notes":               {},
	"POST /admin/customers/:id/notes":              {body: `{}`},
	"GET /admin/orders":                            {},
	"GET /admin/orders/alerts":                     {},
	"GET /admin/orders/:id":                        {},
	"GET /admin/orders/:id/logs":                   {},
	"POST /admin/orders/:id/transition":            {body: `{"action":"retry"}`},
	"GET /admin/servers":                           {shows: true},
	"GET /admin/servers/:id":                       {},
	"GET /admin/servers/:id/metrics":               {},
	"GET /admin/servers/:id/commands":              {},
	"POST /admin/servers/:id/command":              {body: `{}`},
	"GET /customer/server/metrics":                 {},
	"GET /customer/usage":                          {},
	"GET /customer/usage/breakdown":                {},
	"GET /admin/analytics/tokens":                  {},
	"GET /admin/analytics/costs":                   {},
	"GET /admin/analytics/customers":               {},
	"GET /admin/analytics/months":                  {},
	"GET /admin/customers/:id/uncharged":           {},
	"GET /admin/approvals":                         {shows: true},
	"GET /admin/audit":                             {shows: true},
	"GET /admin/staff":                             {},
	"GET /admin/staff/:id":                         {},
	"PATCH /admin/staff/:id":                       {body: `{"off":true}`},
	"POST /admin/codes":                            {body: `{}`},
	"GET /admin/invitations":                       {},
	"POST /admin/invitations":                      {body: `{}`},
	"DELETE /admin/invitations/:id":                {},
	"POST /admin/orders/:id/dns/create":            {},
	"POST /admin/orders/:id/dns/verify":            {},
	"GET /admin/settings":                          {},
	"GET /admin/settings/:key":                     {},
	"GET /admin/settings/:key/history":             {},
	"PATCH /admin/settings/:key":                   {body: `{"value":"45","reason":"why"}`},
	"GET /admin/jobs":                              {},
	"POST /admin/jobs/:id":                         {body: `{"action":"retry"}`},
	"POST /tenant/register":                        {body: `{"token":"x","public_key":"","seal_key":"","agentd_version":""}`},
	"GET /customer/channels":                       {},
	"PUT /customer/channels/:name":                 {body: `{"act":{}}`},
	"POST /customer/channels/:name/test":           {body: `{}`},
	"GET /customer/channels/:name/strangers":       {},
	"POST /customer/channels/:name/strangers/:id":  {body: `{"act":{"do":"take"}}`},
	"GET /customer/channels/:name/pairings":        {},
	"POST /customer/channels/:name/pairings":       {body: `{"act":{}}`},
	"DELETE /customer/channels/:name/pairings/:id": {},

	"GET /customer/support-windows":                         {},
	"POST /customer/support-windows":                        {body: `{}`},
	"DELETE /customer/support-windows/:id":                  {},
	"GET /admin/servers/:id/support-windows":                {},
	"POST /admin/servers/:id/support-windows":               {body: `{}`},
	"DELETE /admin/servers/:id/support-windows/:window":     {},
	"POST /admin/servers/:id/support-windows/:window/looks": {body: `{}`},
	"GET /admin/servers/:id/machine":                        {},
	"GET /admin/servers/:id/snapshots":                      {},
	"POST /admin/servers/:id/power":                         {body: `{}`},
	"POST /admin/servers/:id/rescue":                        {body: `{}`},
	"POST /admin/servers/:id/reinstall":                     {},
	"POST /admin/servers/:id/snapshots":                     {},
	"DELETE /admin/servers/:id/snapshots/:snap":             {},
	"POST /admin/servers/:id/snapshots/:snap/restore":       {},

	"GET /admin/stats":                                {},
	"GET /admin/providers":                            {},
	"POST /admin/providers/:name/check":               {},
	"GET /admin/providers/netcup":                     {},
	"POST /admin/providers/netcup":                    {body: `{}`},
	"GET /admin/providers/netcup/others":              {},
	"GET /admin/providers/netcup/machines":            {},
	"POST /admin/providers/netcup/machines":           {body: `{}`},
	"POST /admin/providers/netcup/machines/:number":   {body: `{}`},
	"DELETE /admin/providers/netcup/machines/:number": {},
	"GET /admin/pool":                                 {},
	"GET /admin/pool/key":                             {},
	"GET /admin/pool/:id":                             {},
	"POST /admin/pool":                                {body: `{}`},
	"POST /admin/pool/:id":                            {body: `{}`},
	"PATCH /admin/pool/:id":                           {body: `{}`},
	"DELETE /admin/pool/:id":                          {},
}

// TestAPI_audience asks every route of the API as everybody whom it is not for. A route without a case fails.
func TestAPI_audience(t *testing.T) {
	t.Parallel()
	w := newAPIWorld(t)
	left := len(apiCases)
	for _, r := range w.routes {
		name, ours := strings.CutPrefix(r.Path, "/api/v1")
		if !ours {
			continue
		}
		c, known := apiCases[r.Method+" "+name]
		if !known {
			t.Errorf("%s %s is in no case: say who may ask it, and whose it shows", r.Method, name)
			continue
		}
		left--
		w.strangers(r, c)
		if r.Method == http.MethodGet {
			w.owners(r, c) // what mine does changes what there is to see, and comes last
		} else {
			defer w.owners(r, c)
		}
	}
	if left != 0 {
		t.Errorf("%d cases are of no route", left)
	}
}

// TestAPI_search: every list of the console takes q, and what does not fit it is left out; the customer's own lists know
// no such thing.
func TestAPI_search(t *testing.T) {
	t.Parallel()
	w := newAPIWorld(t)
	ask := func(path, token string) (int, string) {
		return w.call(web.Route{Method: http.MethodGet, Path: "/api/v1" + path}, apiCase{}, token)
	}
	for list, found := range map[string][]string{
		"/admin/customers": {"mine", "ZZMINE@"}, "/admin/orders": {"mine"}, "/admin/servers": {"mine"},
		"/admin/approvals": {"mine", "k7m2qx", "file_delete", "IT%20admin", w.asked},
	} {
		for _, q := range found {
			if status, text := ask(list+"?q="+q, w.staff); status != http.StatusOK || !strings.Contains(text, string(w.mine.id)) || strings.Contains(text, string(w.other.id)) {
				t.Errorf("%s?q=%s: %d %s", list, q, status, text)
			}
		}
		if status, text := ask(list+"?q=nobody", w.staff); status != http.StatusOK || strings.Contains(text, `"id"`) {
			t.Errorf("%s for nobody: %d %s", list, status, text)
		}
		if status, _ := ask(list+"?q="+strings.Repeat("x", 101), w.staff); status != http.StatusUnprocessableEntity {
			t.Errorf("%s for a long text: %d", list, status)
		}
	}
	if _, text := ask("/customer/approvals?q=nobody", w.mine.token); !strings.Contains(text, w.asked) {
		t.Errorf("the customer's list: %s", text)
	}
}

// strangers ask first: what they do must leave mine's things as they are.
func (w *apiWorld) strangers(r web.Route, c apiCase) {
	wrong := w.staff
	if r.For == web.StaffToken {
		wrong = w.mine.token
	}
	for who, ask := range map[string]struct {
		token string
		want  int
	}{
		"nobody": {"", 401}, "a revoked token": {w.ended, 401}, "an unknown token": {"gth_" + strings.Repeat("x", 43), 401},
		"a token of the other side": {wrong, 403}, "the other customer": {w.other.token, 0},
	} {
		status, text := w.call(r, c, ask.token)
		switch {
		case r.For == web.Server:
			ask.want = 0 // the token in the body is what counts, and it opens nothing
			if status < 400 || status >= 500 {
				w.t.Errorf("%s %s as %s: %d", r.Method, r.Path, who, status)
			}
		case who == "the other customer" && r.For == web.StaffToken:
			ask.want = 403
		case who == "the other customer" && c.named:
			ask.want = 404
		}
		if ask.want != 0 && status != ask.want {
			w.t.Errorf("%s %s as %s: %d, want %d: %.200s", r.Method, r.Path, who, status, ask.want, text)
		}
		if strings.Contains(text, w.mine.marker) {
			w.t.Errorf("%s %s as %s shows what is mine's: %.300s", r.Method, r.Path, who, text)
		}
	}
}

// owners show that the routes were really asked: those whom they are for get what is kept from the others.
func (w *apiWorld) owners(r web.Route, c apiCase) {
	token := w.mine.token
	if r.For == web.StaffToken {
		token = w.staff
	}
	status, text := w.call(r, c, token)
	if (c.shows || c.named) && (status < 200 || status > 299) || c.shows && !strings.Contains(text, w.mine.marker) {
		w.t.Errorf("%s %s as its own: %d, shows its own %v: %.300s", r.Method, r.Path, status, c.shows, text)
	}
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
