package chat

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/approval"
	"gatehouse/app/fault"
	"gatehouse/app/page"
	"gatehouse/app/relay"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/live"
	"gatehouse/app/web/portal/turn"
	"gatehouse/app/web/session"
	"gatehouse/views/ui"

	views "gatehouse/views/portal/chat"
)

const (
	// newTurns is how many turns of a conversation are looked through at a time for ones that the page does not show yet.
	newTurns = 5
	// newLooks is how often: a page that was away for long gets what it missed, and one that was away for ever is no archive.
	newLooks = 20
)

// topic is one conversation: every run of it that is open, or begins, is followed to its end.
type topic struct {
	*Pages
	page    *live.Page
	of      account.CustomerID
	email   string // of the reader
	session string
	agent   string
	at      position
	turns   map[string]*followed
	order   []string // of the turns to be added to the page, as the server has them
	stop    string   // the run that the page offers to stop
	behind  bool     // there may be turns that the page does not show
	sent    bool     // a turn came: the answer to the reader's message may offer that one to stop
	again   bool     // Start was called before
	early   bool     // the server was away before it had repeated what the page shows
	lost    bool     // the page stands for a conversation that could not be looked for: it leads there now
}

// followed is a turn that the page shows or is about to.
type followed struct {
	turn    *turn.Turn
	asked   *wire.Turn      // what the person wrote, for a page that does not show it yet
	looked  map[string]bool // questions of it that the hub was asked about
	running bool            // follow reads its events
}

// openTopic reads which conversation a page shows.
func (p *Pages) openTopic(c echo.Context, lastID string) live.Topic {
	t := &topic{
		Pages: p, of: frame.Customer(c), email: session.Of(c).Email, session: c.QueryParam("session"), agent: c.QueryParam("agent"),
		at: readPosition(cmp.Or(lastID, c.QueryParam("at"))), turns: map[string]*followed{},
	}
	if uuid.Validate(t.session) != nil {
		return live.Still{}
	}
	return t
}

// Start follows what was open when the page was made; the next flush looks for what began since.
func (t *topic) Start(page *live.Page) {
	t.lost = t.again && t.at.newest == ""
	t.page, t.again, t.behind = page, true, true
	for run, n := range t.at.runs {
		if t.turns[run] == nil {
			t.add(run, n, nil)
			t.stop = max(t.stop, run)
		}
	}
}

// discover adds turns of the conversation that the page does not show yet: those that the server has behind the newest
// that it does. Their ids tell nothing, for a message may overtake one that was sent sooner.
func (t *topic) discover(ctx context.Context) error {
	if !t.behind {
		return nil
	}
	before, fresh := "", []wire.Turn{}
	for range newLooks {
		got, err := t.Chat.Session(ctx, t.of, wire.SessionParams{SessionID: t.session, Before: before, Limit: newTurns})
		if err != nil {
			if frame.IsAway(err) || fault.Of(err).Kind == fault.NotFound {
				t.behind = false
				return nil // the first message is still to come, or the page is told when the server is back
			}
			return err
		}
		shown := slices.IndexFunc(got.Turns, func(asked wire.Turn) bool { return asked.Run.ID == t.at.newest })
		fresh = slices.Concat(got.Turns[shown+1:], fresh)
		if shown >= 0 || !got.More || len(got.Turns) == 0 {
			break
		}
		before = got.Turns[0].Run.ID
	}
	for _, asked := range fresh {
		if run := asked.Run.ID; t.turns[run] == nil {
			t.add(run, 0, &asked)
			t.order = append(t.order, run)
		}
	}
	t.behind = false
	return nil
}

// add begins to follow a turn. asked is nil for one that the page shows; n is then the last event that it shows.
func (t *topic) add(run string, n int64, asked *wire.Turn) {
	agent := t.agent
	if asked != nil {
		agent = asked.Run.Agent
	}
	one := &followed{turn: turn.New(run, agent, askedAt(run), n).In(t.session), asked: asked, looked: map[string]bool{}, running: true}
	t.turns[run] = one
	go t.follow(t.page, run)
}

// askedAt reads the time from a run's id, which the hub made when the message was sent.
func askedAt(run string) time.Time {
	id, err := uuid.Parse(run)
	if err != nil || id.Version() != 7 {
		return time.Time{}
	}
	sec, nsec := id.Time().UnixTime()
	return time.Unix(sec, nsec).UTC()
}

// follow reads the events of a run until its end and hands them to the topic, then the receipts of the run.
func (t *topic) follow(page *live.Page, run string) {
	ctx := page.Context()
	st, err := t.Chat.Events(ctx, t.of, run, 0)
	if err == nil {
		for ev := range st.C {
			if !page.Do(func() { t.take(run, ev) }) {
				return
			}
		}
		if err = st.Err(); err == nil {
			err = t.prove(page, run)
		}
	}
	if err != nil && fault.Of(err).Kind != fault.NotFound {
		page.Failed("run not followed", err)
	}
	page.Do(func() { t.unfollow(run) })
}

// prove brings the receipts of a run that has ended, and whether their chain holds.
func (t *topic) prove(page *live.Page, run string) error {
	log, err := t.Chat.Receipts(page.Context(), t.of, run)
	if err == nil {
		page.Do(func() {
			if one := t.turns[run]; one != nil {
				one.turn.Prove(log)
			}
		})
	}
	return err
}

// take takes in an event of a followed run.
func (t *topic) take(run string, ev wire.RunEvent) {
	one := t.turns[run]
	if one == nil || ev.Root == "" {
		return
	}
	one.turn.Take(ev)
	t.early = t.early || ev.Event == wire.EventQueued && !one.turn.Current()
}

// unfollow notes that nobody reads the events of a run any more.
func (t *topic) unfollow(run string) {
	if one := t.turns[run]; one != nil {
		one.running = false
	}
}

// Notice takes in that a run or an approval changed.
func (t *topic) Notice(ctx context.Context, n relay.Notice) bool {
	switch n.Kind {
	case relay.KindRun:
		return t.began(n)
	case relay.KindApproval:
		return t.decided(ctx, n.ID)
	}
	return false
}

// began looks at the conversation again when a run of it shows up that the page does not know, or whose follower has
// given up.
func (t *topic) began(n relay.Notice) bool {
	if n.Run == nil || n.Run.Session != t.session {
		return false
	}
	one := t.turns[n.Run.Root]
	switch {
	case one == nil:
		t.behind = true
	case !one.running && one.turn.Open():
		one.running = true
		go t.follow(t.page, n.Run.Root)
	}
	return t.behind // else the follower brings the event
}

// decided takes over what the hub knows of an approval: a decision shows before the server has applied it.
func (t *topic) decided(ctx context.Context, id string) bool {
	it, err := t.Inbox.Get(ctx, t.of, id)
	if err != nil || it.SessionID != t.session || t.turns[it.RootRunID] == nil {
		return false
	}
	t.turns[it.RootRunID].turn.Told(it.Approval)
	return true
}

// applyAnswers adds the answers that came while this page received no notices: once for each question, for later answers
// are noticed. While the server is away, the questions of a page are unknown; then the last decisions are applied.
func (t *topic) applyAnswers(ctx context.Context) error {
	for _, one := range t.turns {
		if one.turn.Current() {
			if err := t.applyAnswersOf(ctx, one); err != nil {
				return err
			}
		}
	}
	if !t.early {
		return nil
	}
	got, err := t.Inbox.List(ctx, t.of, approval.Query{Status: "decided", Page: page.Ask{Limit: page.MaxLimit}})
	if err != nil {
		return err
	}
	t.early = false
	for _, it := range got.Items {
		if one := t.turns[it.RootRunID]; one != nil && !one.turn.Current() {
			one.turn.Told(it.Approval)
		}
	}
	return nil
}

func (t *topic) applyAnswersOf(ctx context.Context, one *followed) error {
	for _, id := range one.turn.Waiting() {
		if one.looked[id] {
			continue
		}
		it, err := t.Inbox.Get(ctx, t.of, id)
		if err != nil && fault.Of(err).Kind != fault.NotFound {
			return err
		}
		one.looked[id] = true
		if err == nil && (it.State != wire.ApprovalPending || it.Refused != "") { // refused: an answer that the page may show was none
			one.turn.Told(it.Approval)
		}
	}
	return nil
}

// Flush gives what the page does not show yet.
func (t *topic) Flush(ctx context.Context) ([]templ.Component, error) {
	err := errors.Join(t.discover(ctx), t.applyAnswers(ctx))
	var out []templ.Component
	if t.lost && len(t.turns) == 0 {
		out = append(out, views.PushFound())
	}
	t.lost = false
	names := func(agent string) ui.Agent { return t.Agents.Agent(ctx, t.of, agent) }
	for _, run := range t.order {
		out = append(out, t.insert(ctx, t.turns[run], names))
	}
	t.order = nil
	for _, run := range slices.Sorted(maps.Keys(t.turns)) {
		for _, patch := range t.turns[run].turn.Flush(ctx, names) {
			out = append(out, patch.Component())
		}
	}
	out = append(out, t.flushComposer(ctx)...)
	t.forget()
	return out, err
}

// flushComposer shows Stop while a run is open, and says when one has ended.
func (t *topic) flushComposer(ctx context.Context) []templ.Component {
	open := t.openRun()
	if open == t.stop && !t.sent {
		return nil
	}
	out := []templ.Component{ui.PushComposer(composer(ctx, t.session, t.agent, open))}
	if one := t.turns[t.stop]; one != nil && open != t.stop {
		out = append(out, ui.Say(ended(ctx, one.turn.State())))
	}
	t.stop, t.sent = open, false
	return out
}

// insert puts a turn at the end of the conversation, unless the answer to the reader's own message has put it there.
// Either way all of the answer is sent after it.
func (t *topic) insert(ctx context.Context, one *followed, names turn.Names) templ.Component {
	one.turn.Whole()
	t.sent = true
	t.at.newest = one.turn.Root()
	return views.PushTurn(personTurn(ctx, *one.asked, t.email), one.turn.Look(ctx, names))
}

// forget lets go of turns that have ended and are all on the page.
func (t *topic) forget() {
	before := t.at.runs
	t.at.runs = map[string]int64{}
	for run, one := range t.turns {
		if !one.turn.Current() {
			t.at.runs[run] = before[run] // the page still shows what it did
		} else if one.turn.Open() {
			t.at.runs[run] = one.turn.Last()
		} else if !one.running {
			delete(t.turns, run)
		}
	}
}

// openRun is the newest run that can be stopped, "" when there is none.
func (t *topic) openRun() string {
	open := ""
	for run, one := range t.turns {
		if one.turn.Open() {
			open = max(open, run)
		}
	}
	return open
}

// Mark is how far the page has come.
func (t *topic) Mark() string { return t.at.String() }
