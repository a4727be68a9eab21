package admin_test

import (
	"bufio"
	"context"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/order"
	"gatehouse/app/page"
	"gatehouse/app/server"
	"gatehouse/app/work"
)

// soon is less than the time after which a page of the test's console looks again by itself: what comes sooner came by a
// notice.
const soon = time.Minute

// feed is one open stream of a page.
type feed struct {
	t     *testing.T
	lines *bufio.Scanner
	close func()
	id    string // of the last event
}

// follow opens the stream that a page of the console names, behind the event that the reader says it has.
func (h *hub) follow(t *testing.T, path, last string) *feed {
	t.Helper()
	address, ok := h.doc(t, h.staff, path).Find("#live").Attr("hx-sse:connect")
	if !ok {
		t.Fatalf("%s names no stream", path)
	}
	return h.stream(t, address, last)
}

func (h *hub) stream(t *testing.T, address, last string) *feed {
	t.Helper()
	return h.streamAs(t, h.staff, address, last)
}

func (h *hub) streamAs(t *testing.T, secret, address, last string) *feed {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), soon)
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, h.url+address, nil)
	must(t, err)
	req.Header.Set("Cookie", "ssid="+secret)
	req.Header.Set("Last-Event-ID", last)
	res, err := http.DefaultTransport.RoundTrip(req)
	must(t, err)
	t.Cleanup(func() { _ = res.Body.Close() }) // nobody reads on
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d", address, res.StatusCode)
	}
	f := &feed{t: t, lines: bufio.NewScanner(res.Body), close: cancel}
	f.lines.Buffer(nil, 1<<20)
	return f
}

// next is the content of the next event.
func (f *feed) next() string {
	f.t.Helper()
	var data []string
	for f.lines.Scan() {
		name, value, _ := strings.Cut(f.lines.Text(), ": ")
		switch {
		case name == "id":
			f.id = value
		case name == "data":
			data = append(data, value)
		case f.lines.Text() == "" && data != nil:
			return strings.Join(data, "\n")
		}
	}
	f.t.Fatalf("the stream ended: %v", f.lines.Err())
	return ""
}

var logLine = regexp.MustCompile(`<span class="text">([^<]*)</span>`)

// logged are the lines of the log in an event.
func logged(event string) (all []string) {
	for _, m := range logLine.FindAllStringSubmatch(event, -1) {
		all = append(all, m[1])
	}
	return all
}

// TestStream_order: the page of an order gets each new line once and the state with it, and after a cut goes on where it was.
func TestStream_order(t *testing.T) {
	t.Parallel()
	h := start(t)
	o := h.add(t, "Some Bakery", "someone@example.com", "some", order.PaymentConfirmed)
	must(t, h.orders.Log(t.Context(), o, "A line from before."))
	open := h.follow(t, pathOf(o), "")
	if first := open.next(); logged(first) != nil || !strings.Contains(first, "Some Bakery") {
		t.Fatalf("at first: %s", first)
	}
	must(t, h.orders.Log(t.Context(), o, "The first new line."))
	if got := logged(open.next()); !slices.Equal(got, []string{"The first new line."}) {
		t.Fatalf("after one line: %q", got)
	}
	before := open.id
	_, err := h.orders.Advance(t.Context(), work.AdvanceOrder{OrderID: string(o.ID), Step: string(o.State)}, "The payment is there.", "")
	must(t, err)
	event := open.next()
	if got := logged(event); !slices.Equal(got, []string{"The payment is there."}) || open.id == before {
		t.Fatalf("after a step: %q, event %s", got, open.id)
	}
	if !strings.Contains(event, `data-state="busy">Awaiting server<`) {
		t.Errorf("the new state is missing: %s", event)
	}
	open.close()
	if got := logged(h.follow(t, pathOf(o), open.id).next()); got != nil {
		t.Errorf("connected again, the page gets %q once more", got)
	}
	if got := logged(h.follow(t, pathOf(o), before).next()); !slices.Equal(got, []string{"The payment is there."}) {
		t.Errorf("connected again after a missed event, the page gets %q", got)
	}
}

// TestStream_pages: every other live page of the console shows by itself what happens while it is open.
func TestStream_pages(t *testing.T) {
	t.Parallel()
	h := start(t)
	o := h.add(t, "Some Bakery", "someone@example.com", "some", order.PaymentConfirmed)
	servers, err := h.servers.List(t.Context(), server.Filter{}, page.Ask{Search: "some"})
	must(t, err)
	s := servers.Items[0]
	_, err = h.db.Pool.Exec(t.Context(), "UPDATE servers SET registered_at = now(), public_key = 'p', key_id = 'k', seal_key = 's' WHERE id = $1", s.ID)
	must(t, err)
	for _, c := range []struct {
		path, target string
		happens      func()
		want         string
	}{
		{"/admin/orders", "#orders-results", func() { h.arrives(t, "New Bakery") }, "New Bakery"},
		{"/admin/servers", "#servers-results", func() { h.beat(t, s.ID, "model-one") }, "model-one"},
		{"/admin/servers/" + string(s.ID), "#server", func() { h.beat(t, s.ID, "model-two") }, "model-two"},
		{"/admin", "#home", func() { h.fail(t, o) }, "Orders that stopped"},
	} {
		f := h.follow(t, c.path, "")
		_, body, found := strings.Cut(f.next(), c.target)
		if !found {
			t.Fatalf("%s: what is pushed does not replace %s", c.path, c.target)
		}
		if strings.Contains(body, c.want) {
			t.Fatalf("%s shows %q before it happens", c.path, c.want)
		}
		c.happens()
		if event := f.next(); !strings.Contains(event, c.want) {
			t.Errorf("%s: %q is missing in %s", c.path, c.want, event)
		}
		f.close()
	}
}

// arrives is a new order, of which pages are told.
func (h *hub) arrives(t *testing.T, name string) {
	t.Helper()
	o := h.add(t, name, "new@example.com", "new", order.PaymentConfirmed)
	h.OrderChanged(t.Context(), o.CustomerID, o.ID)
}

// beat is a heartbeat of a server that runs with that model.
func (h *hub) beat(t *testing.T, id server.ID, model string) {
	t.Helper()
	must(t, h.servers.Heartbeat(t.Context(), id, wire.Heartbeat{Model: model}))
}

func TestStream_wrongAddress(t *testing.T) {
	t.Parallel()
	h := start(t)
	if status, _ := h.get(t, h.staff, "/admin/stream?topic=order&id=x"); status != http.StatusNotFound {
		t.Errorf("an id that is none: %d", status)
	}
	if status, text := h.get(t, h.guest, "/admin/stream?topic=orders"); status == http.StatusOK || strings.Contains(text, "Somebody Else") {
		t.Errorf("a customer gets %d", status)
	}
}
