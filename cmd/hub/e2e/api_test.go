package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/cmd/hub/rig"
)

// client speaks the JSON API with the token of the demo's owner.
type client struct {
	t   *testing.T
	hub *hub
}

func (h *hub) api(t *testing.T) *client { return &client{t, h} }

// answer is the status of an answer, its body, and what kind of body that is.
type answer struct {
	status int
	body   []byte
	kind   string
}

func (a answer) into(t *testing.T, v any) {
	t.Helper()
	if err := json.Unmarshal(a.body, v); err != nil {
		t.Fatalf("answer %d %s: %v", a.status, a.body, err)
	}
}

// try makes a call that may fail, as while the hub is away. Header values follow their names.
func (c *client) try(ctx context.Context, method, path string, body any, header ...string) (answer, error) {
	var r io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return answer{}, err
		}
		r = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.hub.URL("/api/v1/customer"+path), r)
	if err != nil {
		return answer{}, err
	}
	req.Header.Set("Authorization", "Bearer "+c.hub.Demo.Customer.APIToken)
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	a, err := send(req)
	if err == nil {
		c.wantDescribed(req, a)
	}
	return a, err
}

// wantDescribed fails unless an answer is one that the hub describes.
func (c *client) wantDescribed(req *http.Request, a answer) {
	c.t.Helper()
	if err := c.hub.spec.Answer(req.Method, req.URL.Path, a.status, a.kind, a.body); err != nil {
		c.t.Errorf("not as /api/openapi.json says: %v", err)
	}
}

func send(req *http.Request) (answer, error) {
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	return answer{res.StatusCode, b, res.Header.Get("Content-Type")}, err
}

func (c *client) do(method, path string, body any, header ...string) answer {
	c.t.Helper()
	a, err := c.try(c.t.Context(), method, path, body, header...)
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, path, err)
	}
	return a
}

// want is do for a call that must have that status. Who only reads asks again where the customer's server has not answered in
// time, as on a machine that others keep busy.
func (c *client) want(status int, method, path string, body, v any, header ...string) {
	c.t.Helper()
	a := c.do(method, path, body, header...)
	for end := time.Now().Add(waitLimit); method == http.MethodGet && a.status == http.StatusServiceUnavailable && status != a.status && time.Now().Before(end); {
		a = c.do(method, path, body, header...)
	}
	if a.status != status {
		c.t.Fatalf("%s %s: %d %s, want %d", method, path, a.status, a.body, status)
	}
	if v != nil {
		a.into(c.t, v)
	}
}

// say writes to an agent and gives the id of the run.
func (c *client) say(agent, text string, header ...string) string {
	c.t.Helper()
	var sent struct {
		RunID string `json:"run_id"`
	}
	c.want(http.StatusAccepted, http.MethodPost, "/chat", map[string]string{"agent": agent, "text": text}, &sent, header...)
	return sent.RunID
}

// event is one server-sent event of a run.
type event struct {
	n    int64
	kind wire.Event
	data json.RawMessage
}

// read reads the events of a run from a number on, until the last one, until take has had enough, or until the
// connection breaks, which is an error.
func (c *client) read(ctx context.Context, run string, from int64, take func(event) bool) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.hub.URL("/api/v1/customer/chat/"+run+"/events"), nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+c.hub.Demo.Customer.APIToken)
	if from > 0 {
		req.Header.Set("Last-Event-ID", strconv.FormatInt(from, 10))
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("events of %s: %s", run, res.Status)
	}
	return eachEvent(res.Body, take)
}

func eachEvent(r io.Reader, take func(event) bool) error {
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, 16<<20)
	var e event
	for sc.Scan() {
		name, value, _ := strings.Cut(sc.Text(), ": ")
		switch name {
		case "id":
			e.n, _ = strconv.ParseInt(value, 10, 64) // zero stands out
		case "event":
			e.kind = wire.Event(value)
		case "data":
			e.data = append(e.data, value...)
		case "":
			if e.kind != "" && (!take(e) || e.kind == wire.EventFinal || e.kind == wire.EventError) {
				return nil
			}
			e = event{}
		}
	}
	if err := sc.Err(); err != nil {
		return err
	}
	return io.ErrUnexpectedEOF
}

// story is what a reader of a run has got so far, whatever broke in between.
type story struct {
	last   int64
	events []event
	text   string // of all answers, in order
	final  *wire.FinalData
	err    *wire.ErrorData
}

func (s *story) ended() bool { return s.final != nil || s.err != nil }

// add takes the next event; a repeat or a step back fails.
func (s *story) add(t *testing.T, e event) {
	t.Helper()
	if e.kind != wire.EventQueued && e.n <= s.last {
		t.Errorf("event %d %s came after %d", e.n, e.kind, s.last)
	}
	s.last = max(s.last, e.n)
	s.events = append(s.events, e)
	switch e.kind {
	case wire.EventDelta:
		s.text += decoded[wire.DeltaData](t, e).Text
	case wire.EventFinal:
		f := decoded[wire.FinalData](t, e)
		s.final = &f
	case wire.EventError:
		f := decoded[wire.ErrorData](t, e)
		s.err = &f
	}
}

func decoded[T any](t *testing.T, e event) (v T) {
	t.Helper()
	if err := json.Unmarshal(e.data, &v); err != nil {
		t.Errorf("event %s %s: %v", e.kind, e.data, err)
	}
	return v
}

// follow goes on reading, again and again while the stream breaks, until enough holds or the run has ended.
func (c *client) follow(run string, s *story, enough func() bool) *story {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), waitLimit)
	defer cancel()
	for !s.ended() && !enough() {
		_ = c.read(ctx, run, s.last, func(e event) bool { // a stream that broke is opened again
			s.add(c.t, e)
			if err := c.hub.spec.Event(string(e.kind), e.data); err != nil {
				c.t.Errorf("not as /api/openapi.json says: %v", err)
			}
			return !enough()
		})
		if ctx.Err() != nil {
			c.t.Fatalf("run %s does not come to an end; %d events, the last: %v", run, len(s.events), s.tail())
		}
	}
	return s
}

// end reads a run to its end.
func (c *client) end(run string) *story {
	c.t.Helper()
	return c.follow(run, &story{}, func() bool { return false })
}

func (s *story) tail() (out []string) {
	for _, e := range s.events[max(0, len(s.events)-5):] {
		out = append(out, fmt.Sprintf("%d %s %.200s", e.n, e.kind, e.data))
	}
	return out
}

// asked follows a run until it waits for a person, and gives the question as the inbox has it.
func (c *client) asked(run string) wire.Approval {
	c.t.Helper()
	var a wire.Approval
	s := &story{}
	c.follow(run, s, func() bool {
		for _, e := range s.events {
			if e.kind == wire.EventApproval {
				a = decoded[wire.ApprovalData](c.t, e).Approval
			}
		}
		return a.State == wire.ApprovalPending
	})
	if a.ID == "" {
		c.t.Fatalf("run %s ended without a question: %v", run, s.tail())
	}
	return c.approval(a.ID)
}

// approval is one approval as the inbox has it.
func (c *client) approval(id string) (a wire.Approval) {
	c.t.Helper()
	c.want(http.StatusOK, http.MethodGet, "/approvals/"+id, nil, &a)
	return a
}

func (c *client) pending() []wire.Approval {
	c.t.Helper()
	var list struct {
		Items []wire.Approval `json:"items"`
	}
	c.want(http.StatusOK, http.MethodGet, "/approvals?status=pending", nil, &list)
	return list.Items
}

// decide answers an approval, signed with the demo's key where it gives leave.
func (c *client) decide(id string, v wire.Verb) answer {
	c.t.Helper()
	body := map[string]any{"decision": v}
	if v != wire.Deny {
		body = c.signed(c.approval(id), body)
	}
	return c.do(http.MethodPost, "/approvals/"+id, body)
}

// signed puts the demo's signature on a decision.
func (c *client) signed(a wire.Approval, body map[string]any) map[string]any {
	c.t.Helper()
	body, err := rig.Signed(c.hub.Demo.Approver, a, body)
	if err != nil {
		c.t.Fatal(err)
	}
	return body
}

// allow answers an approval and must be the first to do so.
func (c *client) allow(id string) {
	c.t.Helper()
	if a := c.decide(id, wire.AllowOnce); a.status != http.StatusOK {
		c.t.Fatalf("allow: %d %s", a.status, a.body)
	}
}

// receipts are the records of a run and the runs it delegated; the chain must hold.
func (c *client) receipts(run string) []wire.Receipt {
	c.t.Helper()
	var list struct {
		Items    []wire.Receipt `json:"items"`
		Verified bool           `json:"verified"`
	}
	c.want(http.StatusOK, http.MethodGet, "/runs/"+run+"/receipts", nil, &list)
	if !list.Verified {
		c.t.Errorf("receipts of %s do not verify", run)
	}
	return list.Items
}

// count is how many receipts of a type a run has, of one tool or, with "", of any.
func count(all []wire.Receipt, kind, tool string) (n int) {
	for _, r := range all {
		if r.Type == kind && (tool == "" || r.Tool == tool) {
			n++
		}
	}
	return n
}

// awaitLink waits until the demo's server answers questions.
func (c *client) awaitLink() {
	c.t.Helper()
	until(c.t, "the server answers", func() bool {
		ctx, cancel := context.WithTimeout(c.t.Context(), 20*time.Second) // the hub answers after 5 s; a lost answer is not waited for
		defer cancel()
		a, err := c.try(ctx, http.MethodPost, "/echo", "hello")
		return err == nil && a.status == http.StatusOK
	})
}
