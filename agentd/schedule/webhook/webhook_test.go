package webhook_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/schedule/webhook"
	"gatehouse/agentd/wire"
)

// genuine checks a request the way the documentation tells a receiver to.
func genuine(r received, key string) bool {
	m := hmac.New(sha256.New, []byte(key))
	m.Write([]byte(r.header.Get("X-Gatehouse-Timestamp") + "." + string(r.body)))
	return hmac.Equal([]byte(r.header.Get("X-Gatehouse-Signature")), []byte("sha256="+hex.EncodeToString(m.Sum(nil))))
}

// TestDelivery: a result reaches its receiver with a signature that holds, and each step of it is on record.
func TestDelivery(t *testing.T) {
	t.Parallel()
	r := receives(t, nil)
	dir := t.TempDir()
	w := startIn(t, dir)
	lists(t, dir, r.URL)
	s := w.sends(t, r.URL+"/in/token-of-the-receiver")
	if s.Deliver.To != wire.DeliverWebhook || s.Webhook == nil || s.Webhook.Shown != r.URL+"/…" || s.Webhook.Stale {
		t.Fatalf("%+v, %+v", s.Deliver, s.Webhook)
	}
	w.runs1(t, s, "There are 7 orders.")
	d := w.until(t, s, wire.DeliverySent, 1)
	if d.Attempts[0].Status != http.StatusNoContent || d.Attempts[0].Reason != "" {
		t.Errorf("%+v", d)
	}
	all := r.all()
	if len(all) != 1 || !genuine(all[0], aSecret) || genuine(all[0], aSecret+"x") {
		t.Fatalf("%d requests, the first %q %v", len(all), all[0].body, all[0].header)
	}
	var got wire.WebhookResult
	if err := json.Unmarshal(all[0].body, &got); err != nil {
		t.Fatal(err)
	}
	if got.RunID == "" || got.Due.IsZero() {
		t.Errorf("%+v", got)
	}
	if got.Schedule != s.ID || got.Text != "There are 7 orders." || got.Verdict != wire.TickRan || got.Outcome != wire.TickDone {
		t.Errorf("%+v", got)
	}
	at, err := strconv.ParseInt(all[0].header.Get("X-Gatehouse-Timestamp"), 10, 64)
	if err != nil || time.Since(time.Unix(at, 0)) > time.Minute {
		t.Errorf("time %d, %v", at, err)
	}
	types, err := w.Types(got.RunID)
	if err != nil || !strings.HasSuffix(strings.Join(types, " "), "call.finished schedule.delivery") {
		t.Errorf("receipts %q, %v", types, err)
	}
	var leaks int
	err = w.DB.Read().QueryRowContext(t.Context(), "SELECT count(*) FROM receipts WHERE body LIKE '%token-of-the-receiver%'").Scan(&leaks)
	if err != nil || leaks != 0 {
		t.Errorf("%d receipts hold what stands behind the host (%v)", leaks, err)
	}
}

// TestDelivery_failedRun: a run that has failed is told as well, with its reason in place of an answer.
func TestDelivery_failedRun(t *testing.T) {
	t.Parallel()
	r := receives(t, nil)
	dir := t.TempDir()
	w := startIn(t, dir)
	lists(t, dir, r.URL)
	s := w.sends(t, r.URL)
	if err := w.ran(s, wire.RunStopped, ""); err != nil {
		t.Fatal(err)
	}
	w.until(t, s, wire.DeliverySent, 1)
	if body := string(r.all()[0].body); !strings.Contains(body, `"outcome":"stopped"`) || !strings.Contains(body, "no answer") {
		t.Errorf("%s", body)
	}
}

// TestDelivery_faults: a receiver that fails is tried again, each attempt with its reason on record, and gets the same bytes with the
// same key.
func TestDelivery_faults(t *testing.T) {
	t.Parallel()
	answers := func(code int, header ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			for i := 0; i < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			w.WriteHeader(code)
		}
	}
	elsewhere := receives(t, nil)
	for name, c := range map[string]struct {
		say    http.HandlerFunc
		status int
		why    string
		after  time.Duration // until the next attempt
	}{
		"500":            {answers(500), 500, "The receiver answered HTTP 500.", 30 * time.Second},
		"404":            {answers(404), 404, "The receiver answered HTTP 404.", 30 * time.Second},
		"429":            {answers(429, "Retry-After", "900"), 429, "The receiver answered HTTP 429.", 15 * time.Minute},
		"429 for a year": {answers(429, "Retry-After", "31536000"), 429, "The receiver answered HTTP 429.", time.Hour},
		"redirect to loopback": {
			answers(307, "Location", elsewhere.URL), 307, "redirect (HTTP 307), which is not followed", 30 * time.Second,
		},
		"redirect to metadata": {answers(302, "Location", "http://169.254.169.254/"), 302, "redirect", 30 * time.Second},
		"hangs up": {
			func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, 0,
			"cannot be reached, or has hung up", 30 * time.Second,
		},
		"an endless answer": {func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(503)
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 1<<10)); err != nil {
					return
				}
			}
		}, 503, "HTTP 503", 30 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := receives(t, c.say)
			dir := t.TempDir()
			w := startIn(t, dir)
			lists(t, dir, r.URL)
			s := w.sends(t, r.URL)
			w.runs1(t, s, "Seven.")
			d := w.until(t, s, wire.DeliveryWaiting, 1)
			if a := d.Attempts[0]; a.Status != c.status || !strings.Contains(a.Reason, c.why) {
				t.Errorf("%+v", a)
			}
			if wait := d.NextAt.Sub(d.Attempts[0].At); wait < c.after || wait > c.after+2*time.Second {
				t.Errorf("the next attempt comes after %v, want %v", wait, c.after)
			}
			r.says(nil)
			w.pass(c.after + 2*time.Second)
			w.until(t, s, wire.DeliverySent, 2)
			all := r.all()
			if len(all) != 2 || string(all[0].body) != string(all[1].body) || !genuine(all[1], aSecret) ||
				all[0].header.Get("Idempotency-Key") != all[1].header.Get("Idempotency-Key") || all[0].header.Get("Idempotency-Key") == "" {
				t.Errorf("%d requests, or they differ", len(all))
			}
		})
	}
	t.Cleanup(func() {
		if n := len(elsewhere.all()); n != 0 {
			t.Errorf("a redirect was followed %d times", n)
		}
	})
}

// TestDelivery_hangs: a receiver that says nothing does not hold anything up for longer than it may.
func TestDelivery_hangs(t *testing.T) {
	t.Parallel()
	over := make(chan struct{})
	r := receives(t, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-over:
		}
	})
	defer close(over)
	dir := t.TempDir()
	w := startIn(t, dir)
	lists(t, dir, r.URL)
	s := w.sends(t, r.URL)
	w.runs1(t, s, "Seven.")
	d := w.until(t, s, wire.DeliveryWaiting, 1)
	if a := d.Attempts[0]; a.Status != 0 || !strings.Contains(a.Reason, "did not answer within 15 seconds") {
		t.Errorf("%+v", a)
	}
}

// TestDelivery_givenUp: a receiver that is gone for good is given up after eight attempts, and the page says so.
func TestDelivery_givenUp(t *testing.T) {
	t.Parallel()
	r := receives(t, nil)
	dir := t.TempDir()
	w := startIn(t, dir)
	lists(t, dir, r.URL)
	s := w.sends(t, r.URL)
	r.Close() // the receiver is killed
	w.runs1(t, s, "Seven.")
	for n := 1; n < 8; n++ {
		d := w.until(t, s, wire.DeliveryWaiting, n)
		w.pass(d.NextAt.Sub(w.now()) + time.Second)
	}
	d := w.until(t, s, wire.DeliveryFailed, 8)
	if !strings.Contains(d.Reason, "tried 8 times") || !strings.Contains(d.Reason, "cannot be reached") || !d.NextAt.IsZero() {
		t.Errorf("%+v", d)
	}
}

// TestDelivery_conversationDeleted: what waits to be sent is held once its conversation is deleted, and the words of it are gone, those of
// results that are over too. One whose run ended with the deletion is held as well, and leaves no call.
func TestDelivery_conversationDeleted(t *testing.T) {
	t.Parallel()
	r := receives(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) })
	dir := t.TempDir()
	w := startIn(t, dir)
	lists(t, dir, r.URL)
	s := w.sends(t, r.URL)
	w.runs1(t, s, "The tulip is yellow.")
	before := w.until(t, s, wire.DeliveryWaiting, 1)
	if err := w.deletes(s, w.Forget); err != nil {
		t.Fatal(err)
	}
	d := w.until(t, s, wire.DeliveryHeld, 1)
	if !strings.Contains(d.Reason, "conversation was deleted") || !d.NextAt.IsZero() {
		t.Errorf("%+v", d)
	}
	w.pass(before.NextAt.Sub(w.now()) + time.Second)
	calls := w.calls(t)
	if err := w.ran(s, wire.RunStopped, ""); err != nil {
		t.Fatal(err)
	}
	w.until(t, s, wire.DeliveryHeld, 0)
	if n := w.calls(t); n != calls || len(r.all()) != 1 {
		t.Errorf("%d calls, %d before; %d requests", n, calls, len(r.all()))
	}
	var left int
	err := w.DB.Read().QueryRowContext(t.Context(), "SELECT count(*) FROM schedule_deliveries WHERE text <> '' OR failed LIKE '%tulip%'").
		Scan(&left)
	if err != nil || left != 0 {
		t.Errorf("%d results have their words still (%v)", left, err)
	}
}

// calls is how many calls the gate has on record.
func (w *world) calls(t *testing.T) (n int) {
	t.Helper()
	if err := w.DB.Read().QueryRowContext(t.Context(), "SELECT count(*) FROM gate_calls").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestForget_over: of a result that has failed for good the reason in words goes with its conversation, and no other one.
func TestForget_over(t *testing.T) {
	t.Parallel()
	w := startIn(t, t.TempDir())
	for _, session := range []string{"deleted", "stays"} {
		err := w.DB.Write(t.Context(), func(tx *sql.Tx) error {
			return w.Settled(tx, webhook.Result{Schedule: session, Session: session, RunID: session, Failed: "The tulip is yellow."})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.deletes(wire.Schedule{Session: "deleted"}, w.Forget); err != nil {
		t.Fatal(err)
	}
	var left string
	const query = "SELECT group_concat(schedule || ': ' || failed || reason) FROM schedule_deliveries WHERE failed <> ''"
	err := w.DB.Read().QueryRowContext(t.Context(), query).Scan(&left)
	if err != nil || left != "stays: The tulip is yellow.Nobody has signed for an address yet." {
		t.Errorf("%q, %v", left, err)
	}
}

// TestDelivery_certificate: a receiver with a certificate that nobody vouches for gets nothing.
func TestDelivery_certificate(t *testing.T) {
	t.Parallel()
	asked := false
	r := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	dir := t.TempDir()
	w := startIn(t, dir)
	lists(t, dir, r.URL)
	s := w.sends(t, r.URL)
	w.runs1(t, s, "Seven.")
	d := w.until(t, s, wire.DeliveryWaiting, 1)
	r.Close()
	if !strings.Contains(d.Attempts[0].Reason, "certificate") || asked {
		t.Errorf("%+v, asked %v", d, asked)
	}
}

// TestDelivery_privateLater: an origin that the operator lists no longer gets nothing from then on: the guard is asked at each attempt.
func TestDelivery_privateLater(t *testing.T) {
	t.Parallel()
	r := receives(t, nil)
	dir := t.TempDir()
	w := startIn(t, dir)
	lists(t, dir, r.URL)
	s := w.sends(t, r.URL)
	lists(t, dir)
	w.runs1(t, s, "Seven.")
	d := w.until(t, s, wire.DeliveryWaiting, 1)
	if !strings.Contains(d.Attempts[0].Reason, "into a private network") || len(r.all()) != 0 {
		t.Errorf("%+v, %d requests", d, len(r.all()))
	}
}

// TestDelivery_leaves: what leaves passes the scan of everything that does: a secret is taken out or held, and so is what a person would
// be asked about. That content from outside stands behind it holds up nothing: the owner has named the receiver.
func TestDelivery_leaves(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text  string
		taint []policy.Source
		want  wire.DeliveryState
		never string
	}{
		"harmless, tainted": {"Seven.", []policy.Source{{Source: "mail someone@example.net"}}, wire.DeliverySent, "\x00"},
		"a credential":      {"The key is AKIA" + "QYLPMN5HHHFPZAM2.", nil, "", "QYLPMN5HHHFPZAM2"},
		"a card":            {"The card is 4111 1111 1111 1111.", nil, wire.DeliveryHeld, "4111"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := receives(t, nil)
			dir := t.TempDir()
			w := startIn(t, dir)
			lists(t, dir, r.URL)
			w.runs.taint = c.taint
			s := w.sends(t, r.URL)
			w.runs1(t, s, c.text)
			if c.want != "" {
				w.until(t, s, c.want, map[wire.DeliveryState]int{wire.DeliverySent: 1}[c.want])
			} else {
				for w.last(t, s).State == wire.DeliveryWaiting {
					time.Sleep(5 * time.Millisecond)
				}
			}
			for _, got := range r.all() {
				if strings.Contains(string(got.body), c.never) {
					t.Errorf("it left: %s", got.body)
				}
			}
		})
	}
}

// TestChange_refuses: nobody but the owner sets an address, and none that leads inside.
func TestChange_refuses(t *testing.T) {
	t.Parallel()
	w := startIn(t, t.TempDir())
	s := w.plan(t)
	const public = "https://receiver.example/in"
	for name, c := range map[string]struct {
		act  func(*wire.WebhookAct)
		with func(*wire.WebhookChange)
		says string
	}{
		"unsigned":         {nil, func(c *wire.WebhookChange) { c.Signature = nil }, "signature"},
		"another address":  {nil, func(c *wire.WebhookChange) { c.Act.URL = "https://thief.example" }, "signature"},
		"another task":     {func(a *wire.WebhookAct) { a.Task = "Send all notes" }, nil, "changed meanwhile"},
		"another version":  {func(a *wire.WebhookAct) { a.Version++ }, nil, "changed meanwhile"},
		"another secret":   {nil, func(c *wire.WebhookChange) { c.Box = "a secret of somebody else" }, "not the one"},
		"no secret":        {nil, func(c *wire.WebhookChange) { c.Box = "" }, "not the one"},
		"not encrypted":    {func(a *wire.WebhookAct) { a.URL = "http://receiver.example" }, nil, "https://"},
		"a password in it": {func(a *wire.WebhookAct) { a.URL = "https://me:pass@receiver.example" }, nil, "password"},
		"no host":          {func(a *wire.WebhookAct) { a.URL = "https:///in" }, nil, "https://"},
		"a file":           {func(a *wire.WebhookAct) { a.URL = "file:///etc/passwd" }, nil, "https://"},
		"a line break":     {func(a *wire.WebhookAct) { a.URL = public + "\nHost: x" }, nil, "https://"},
		"this machine":     {func(a *wire.WebhookAct) { a.URL = "https://127.0.0.1/in" }, nil, "private network"},
		"by name":          {func(a *wire.WebhookAct) { a.URL = "https://localhost/in" }, nil, "private network"},
		"mapped":           {func(a *wire.WebhookAct) { a.URL = "https://[::ffff:127.0.0.1]/in" }, nil, "private network"},
		"metadata":         {func(a *wire.WebhookAct) { a.URL = "https://169.254.169.254/in" }, nil, "private network"},
		"private":          {func(a *wire.WebhookAct) { a.URL = "https://10.1.2.3/in" }, nil, "private network"},
		"nothing known":    {func(a *wire.WebhookAct) { a.Do = "open" }, nil, "nothing that can be done"},
		"nothing to sign":  {func(a *wire.WebhookAct) { a.Do = wire.WebhookConfirm }, nil, "No address is set"},
		"no schedule":      {func(a *wire.WebhookAct) { a.Schedule = a.ID }, nil, "not on your server"},
	} {
		a := setting(s, public)
		if c.act != nil {
			c.act(&a)
		}
		if _, err := w.act(a, c.with); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	got, err := ask[wire.Schedule](w, wire.MethodScheduleGet, wire.ScheduleParams{ID: s.ID})
	if err != nil || got.Webhook != nil || got.Deliver.To != wire.DeliverSession || got.Version != s.Version {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := w.act(setting(s, public), nil); err != nil {
		t.Errorf("a public address: %v", err)
	}
}

// TestChange_stale: a schedule that does something else since it was signed for sends nothing until the owner has signed again.
func TestChange_stale(t *testing.T) {
	t.Parallel()
	r := receives(t, nil)
	dir := t.TempDir()
	w := startIn(t, dir)
	lists(t, dir, r.URL)
	s := w.sends(t, r.URL)
	other := "Write down everything you know"
	s, err := ask[wire.Schedule](w, wire.MethodScheduleEdit, wire.ScheduleEdit{ID: s.ID, Task: &other})
	if err != nil || s.Webhook == nil || !s.Webhook.Stale {
		t.Fatalf("%+v, %v", s.Webhook, err)
	}
	w.runs1(t, s, "Everything.")
	if d := w.until(t, s, wire.DeliveryHeld, 0); !strings.Contains(d.Reason, "Sign again") {
		t.Errorf("%+v", d)
	}
	confirm := setting(s, "")
	confirm.Do, confirm.SecretHash = wire.WebhookConfirm, ""
	if s, err = w.act(confirm, nil); err != nil || s.Webhook.Stale {
		t.Fatalf("%+v, %v", s.Webhook, err)
	}
	w.pass(time.Second)
	w.runs1(t, s, "Little.")
	w.until(t, s, wire.DeliverySent, 1)
	if all := r.all(); len(all) != 1 || !strings.Contains(string(all[0].body), "Little.") {
		t.Errorf("%d requests", len(all))
	}
}

// TestChange_staleRun: what is sent is the result of the task that the owner has signed for. One that is another while its run goes on is
// held, however the schedule stands before and after, and in a later try as in the first.
func TestChange_staleRun(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ begun, ended, retried bool }{
		"begun":   {begun: true},
		"ended":   {ended: true},
		"retried": {retried: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := receives(t, nil)
			dir := t.TempDir()
			w := startIn(t, dir)
			lists(t, dir, r.URL)
			s := w.sends(t, r.URL)
			does := func(other bool) {
				t.Helper()
				task := s.Task
				if other {
					task = "Write down everything you know"
				}
				if _, err := ask[wire.Schedule](w, wire.MethodScheduleEdit, wire.ScheduleEdit{ID: s.ID, Task: &task}); err != nil {
					t.Fatal(err)
				}
			}
			does(c.begun)
			if err := w.begins(s); err != nil {
				t.Fatal(err)
			}
			if c.retried {
				does(true)
				w.retries(t)
			}
			does(c.ended)
			if err := w.ends(wire.RunDone, "Everything."); err != nil {
				t.Fatal(err)
			}
			if d := w.until(t, s, wire.DeliveryHeld, 0); !strings.Contains(d.Reason, "Sign again") {
				t.Errorf("%+v", d)
			}
			does(false)
			w.pass(time.Second)
			w.runs1(t, s, "Little.")
			w.until(t, s, wire.DeliverySent, 1)
			if all := r.all(); len(all) != 1 || !strings.Contains(string(all[0].body), "Little.") {
				t.Errorf("%d requests", len(all))
			}
		})
	}
}

// retries has the run that is at work fail, and the next try begin.
func (w *world) retries(t *testing.T) {
	t.Helper()
	if err := w.ends(wire.RunFailed, ""); err != nil {
		t.Fatal(err)
	}
	w.pass(time.Minute)
	if _, err := w.plans.Pass(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestChange_removed: what is on its way is held once the address is removed, by a person or with its schedule, and the secret goes.
// Choosing the webhook again brings nothing back.
func TestChange_removed(t *testing.T) {
	t.Parallel()
	for name, gone := range map[string]func(w *world, s wire.Schedule) error{
		"removed": func(w *world, s wire.Schedule) error {
			a := setting(s, "")
			a.Do = wire.WebhookRemove
			_, err := w.act(a, func(c *wire.WebhookChange) { c.Signature = nil })
			return err
		},
		"delivered elsewhere": func(w *world, s wire.Schedule) error {
			for _, to := range []wire.DeliverTo{wire.DeliverSession, wire.DeliverWebhook} {
				e := wire.ScheduleEdit{ID: s.ID, Deliver: &wire.ScheduleDeliver{To: to}}
				if _, err := ask[wire.Schedule](w, wire.MethodScheduleEdit, e); err != nil {
					return err
				}
			}
			return nil
		},
		"deleted": func(w *world, s wire.Schedule) error {
			_, err := ask[wire.Schedule](w, wire.MethodScheduleDelete, wire.ScheduleAct{ID: s.ID})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := receives(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) })
			dir := t.TempDir()
			w := startIn(t, dir)
			lists(t, dir, r.URL)
			s := w.sends(t, r.URL)
			w.runs1(t, s, "Seven.")
			w.until(t, s, wire.DeliveryWaiting, 1)
			if err := gone(w, s); err != nil {
				t.Fatal(err)
			}
			w.until(t, s, wire.DeliveryHeld, 1)
			if err := w.Tidy(t.Context()); err != nil {
				t.Fatal(err)
			}
			if v, err := (keys{w}).Key(t.Context(), wire.WebhookSecretName(s.ID)); err != nil || !v.Empty() {
				t.Errorf("the secret is there still (%v)", err)
			}
			var rows int
			err := w.DB.Read().QueryRowContext(t.Context(), "SELECT count(*) FROM schedule_webhooks").Scan(&rows)
			if err != nil || rows != 0 {
				t.Errorf("%d addresses left (%v)", rows, err)
			}
			if name == "deleted" {
				return
			}
			w.pass(time.Second)
			w.runs1(t, s, "Eight.")
			got, err := ask[wire.ScheduleTicks](w, wire.MethodScheduleTicks, wire.ScheduleTicksParams{ID: s.ID, Limit: 1})
			if d := got.Items[0].Delivery; err != nil || d != nil && d.State != wire.DeliveryHeld || len(r.all()) != 1 {
				t.Errorf("%+v, %v, %d requests", d, err, len(r.all()))
			}
		})
	}
}

// TestChange_once: an act that comes twice is carried out once, and an old one changes nothing anymore.
func TestChange_once(t *testing.T) {
	t.Parallel()
	w := startIn(t, t.TempDir())
	s := w.plan(t)
	first := setting(s, "https://receiver.example/in")
	s1, err := w.act(first, nil)
	if err != nil {
		t.Fatal(err)
	}
	again, err := w.act(first, nil)
	if err != nil || again.Version != s1.Version {
		t.Errorf("a repeat: version %d, then %d (%v)", s1.Version, again.Version, err)
	}
	if _, err := w.act(setting(s1, "https://other.example/in"), nil); err != nil {
		t.Fatal(err)
	}
	if s2, err := w.act(first, nil); err == nil {
		t.Errorf("the first act counts again: %+v", s2.Webhook)
	}
}

// TestTool_alone: a call of the tool that belongs to no result sends nothing, whoever makes it.
func TestTool_alone(t *testing.T) {
	t.Parallel()
	r := receives(t, nil)
	dir := t.TempDir()
	w := startIn(t, dir)
	lists(t, dir, r.URL)
	s := w.sends(t, r.URL)
	for name, a := range map[string]webhook.SendArgs{
		"another address": {ID: s.ID, Schedule: s.ID, To: "https://thief.example", Text: "All."},
		"no delivery":     {ID: s.ID, Schedule: s.ID, To: r.URL, Text: "All."},
	} {
		raw, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		if out, err := w.Gate.Do(t.Context(), callOf(raw), nil); err != nil || out.State == wire.ToolDone {
			t.Errorf("%s: %s %s, %v", name, out.State, out.Text, err)
		}
	}
	if n := len(r.all()); n != 0 {
		t.Errorf("%d requests", n)
	}
}
