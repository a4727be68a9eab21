package crash

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/cmd/hub/e2e"
)

// TestAgentdKilled_anyMoment kills agentd at a random moment after an allow: the mail is sent at most once, the run ends,
// and where it was not sent nothing says that it was.
func TestAgentdKilled_anyMoment(t *testing.T) {
	h, c := e2e.Start(t)
	for i := range e2e.Rounds(2, 200) {
		random := rand.New(rand.NewPCG(uint64(i), 7))
		to := fmt.Sprintf("guest%d@example.com", i)
		q := c.Asked(c.Say("secretary", "Email "+to+" that we open at nine"))
		old := h.Agentd(t)
		after := time.Duration(random.IntN(40_000)) * time.Microsecond
		c.Allow(q.ID)
		<-time.After(after) // the moment is what is tried here
		e2e.Kill(t, old)
		h.AwaitNewAgentd(t, old)
		end, rs, sent := c.End(q.RootRunID), c.Receipts(q.RootRunID), len(h.Mails(t, to))
		if sent > 1 || e2e.Count(rs, "call.started", "message") > 1 {
			t.Errorf("killed after %s: sent %d times: %v", after, sent, e2e.Types(rs))
		}
		if e2e.Count(rs, "call.finished", "message") > sent {
			t.Errorf("killed after %s: on record as sent, and it was not: %v", after, e2e.Types(rs))
		}
		if end.Final == nil || sent == 0 && e2e.Count(rs, "call.unknown", "message") == 0 {
			t.Errorf("killed after %s: %d sent, the run ended with %v", after, sent, end.Tail())
		}
	}
}

// TestHubKilled_anyMoment kills the hub at a random moment around a press: it counts once, or not at all and then the
// next one does.
func TestHubKilled_anyMoment(t *testing.T) {
	h, c := e2e.Start(t, e2e.OwnPostgres)
	for i := range e2e.Rounds(2, 100) {
		random := rand.New(rand.NewPCG(uint64(i), 11))
		ledger := fmt.Sprintf("ledger%d", i) // not a mail: the catcher is killed with the hub
		q := c.Asked(c.Say("it-admin", "Run `perl -e 'open(F,q(>>),q("+ledger+"));print F qq(once)'`"))
		after := time.Duration(random.IntN(8_000)) * time.Microsecond
		pressed, yes := make(chan int, 1), c.Signed(q, map[string]any{"decision": wire.AllowOnce})
		ctx, cancel := context.WithTimeout(t.Context(), e2e.WaitLimit)
		go func() {
			a, _ := c.Try(ctx, http.MethodPost, "/approvals/"+q.ID, yes) // no answer is one of the outcomes
			pressed <- a.Status
		}()
		<-time.After(after) // the moment is what is tried here
		h.Kill(t)
		first := <-pressed
		cancel()
		h.Start(t)
		now := c.Approval(q.ID)
		if first == http.StatusOK && now.State != wire.ApprovalAllowed {
			t.Errorf("killed after %s: acknowledged, and then %s", after, now.State)
		}
		if now.State == wire.ApprovalPending {
			c.Allow(q.ID)
		}
		if end := c.End(q.RootRunID); end.Final == nil || ledgerOf(t, h, ledger) != "once" {
			t.Errorf("killed after %s: %q in the ledger, the run ended with %v", after, ledgerOf(t, h, ledger), end.Tail())
		}
	}
}

// ledgerOf is all that programs have put into a file.
func ledgerOf(t *testing.T, h *e2e.Hub, name string) string {
	t.Helper()
	return strings.Join(e2e.Lines(t, h.Data(name)), "")
}
